// The page: what is selected, what is marked, and how its parts reach one another.

class App {
  constructor(scene) {
    this.scene = scene;
    this.lts = scene.lts;
    this.drawing = new Drawing(scene);
    this.selected = null;
    byId("title").textContent = scene.title;
    byId("sizes").textContent = scene.sizes;
    this.view = new View(byId("canvas"), {
      over: (item, at) => this.over(item, at),
      click: (item) => this.click(item),
    });
    byId("canvas").setAttribute("aria-label", `${scene.title}: ${scene.sizes}`);
    this.view.switches = -1;
    if (this.lts) {
      this.steps = new Steps(this);
      this.replay = new Replay(this, scene.traces);
    }
    this.details = new Details(this);
    this.legend = new Legend(this);
    this.search = new Search(this);
    this.panel = new Panel(this.pages());
    this.listen();
    this.redraw();
  }

  pages() {
    const { scene } = this;
    const page = (name, title, part) => ({ name, title, show: (into) => part.show(into) });
    const pages = [page("details", scene.noun, this.details)];
    if (this.lts) pages.push(page("steps", "Step", this.steps), page("replay", "Replay", this.replay));
    if (scene.classes.length) pages.push(page("classes", "Classes", new Classes(this)));
    pages.push(page("legend", "Legend", this.legend));
    return pages;
  }

  listen() {
    byId("in").addEventListener("click", () => this.view.zoom(1.4));
    byId("out").addEventListener("click", () => this.view.zoom(1 / 1.4));
    byId("fit").addEventListener("click", () => this.view.fit());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const typing = event.target.closest("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (typing) byId("canvas").focus();
      else this.select(null);
      return;
    }
    if (typing) return;
    const does = {
      "/": () => byId("query").select(),
      "+": () => this.view.zoom(1.4),
      "=": () => this.view.zoom(1.4),
      "-": () => this.view.zoom(1 / 1.4),
      0: () => this.view.fit(),
      p: () => this.panel.toggle(),
    }[event.key.toLowerCase()];
    if (does) does();
    else if (this.panel.now !== "steps" || !this.steps.key(event)) return;
    event.preventDefault();
  }

  /// Shows the drawing after its nodes changed.
  redraw() {
    this.drawing.build();
    this.view.show(this.drawing);
    this.search.run();
    this.mark();
  }

  /// Marks nodes and edges: as the scene does, then what is selected, found, stepped to.
  mark() {
    const { drawing, lts } = this;
    for (const item of [...drawing.nodes, ...drawing.edges]) item.marks = item.base;
    const part = { steps: this.steps, replay: this.replay }[this.panel?.now] ?? this.last;
    if (part && lts) {
      this.last = part;
      const { transitions, states } = part.marks();
      for (const t of transitions) {
        if (drawing.edgeOf[t] >= 0) drawing.edges[drawing.edgeOf[t]].marks |= MARK.trace;
        drawing.nodes[drawing.nodeOf[lts.from[t]]].marks |= MARK.trace;
      }
      for (const state of states) drawing.nodes[drawing.nodeOf[state]].marks |= MARK.now;
    }
    for (const { node, edge } of this.search.found) {
      if (node !== undefined) drawing.nodes[node].marks |= MARK.match;
      else drawing.edges[edge].marks |= MARK.match;
    }
    const { nodes, edge } = this.selectedItems();
    for (const node of nodes) drawing.nodes[node].marks |= MARK.selected;
    if (edge !== undefined) drawing.edges[edge].marks |= MARK.selected;
    this.view.repaint();
  }

  /// The nodes, or the edge, of what is selected, as it is drawn now.
  selectedItems() {
    const { drawing, selected } = this;
    if (!selected) return { nodes: [] };
    const { state, transitions, class: id, node, edge } = selected;
    if (state !== undefined) return { nodes: [drawing.nodeOf[state]] };
    if (transitions) return { nodes: [], edge: drawing.edgeOf[transitions[0]] };
    if (id !== undefined) return { nodes: [...drawing.nodes.keys()].filter((k) => drawing.nodes[k].class === id) };
    return node !== undefined ? { nodes: [node] } : { nodes: [], edge };
  }

  over(item, [x, y]) {
    byId("canvas").classList.toggle("over", Boolean(item));
    const tip = byId("tip");
    tip.hidden = !item;
    if (!item) return;
    tip.textContent = this.details.brief(item);
    const { width, height } = this.view;
    tip.style.left = `${Math.max(0, Math.min(x + 14, width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 8 : y + 18}px`;
  }

  click(item) {
    if (!item) return this.select(null);
    if (this.panel.now === "steps" && this.stepTo(item)) return;
    this.select(this.selectionOf(item));
    this.panel.open("details");
  }

  /// A click in the drawing while stepping takes the transition that it names alone.
  stepTo({ node, edge }) {
    const { drawing, steps, lts } = this;
    const meant = (t) => (edge !== undefined ? drawing.edgeOf[t] === edge : drawing.nodeOf[lts.to[t]] === node);
    const possible = [...lts.outgoing(steps.state)].filter(meant);
    if (possible.length === 1) steps.take(possible[0]);
    return possible.length === 1;
  }

  selectionOf({ node, edge }) {
    const { drawing } = this;
    if (edge !== undefined) {
      const { transitions } = drawing.edges[edge];
      return transitions.length ? { transitions: [...transitions] } : { edge };
    }
    const { states, class: id, isFolded } = drawing.nodes[node];
    if (isFolded) return { class: id };
    return states.length === 1 ? { state: states[0] } : { node };
  }

  /// Selects a state, transitions, or a node or edge of a drawing without states.
  select(selection) {
    this.selected = selection;
    this.mark();
    const { nodes, edge } = this.selectedItems();
    if (nodes.length || edge !== undefined) this.revealItem({ node: nodes[0], edge });
    this.panel.refresh();
  }

  /// Folds classes, or unfolds them.
  fold(classes, on) {
    for (const id of classes) this.drawing.fold(id, on);
    this.redraw();
    // Another drawing, on the whole.
    if (classes.length > 1) this.view.fit();
    this.panel.refresh();
  }

  reveal(state) {
    this.revealItem({ node: this.drawing.nodeOf[state] });
  }

  revealItem({ node, edge }) {
    const { nodes, edges } = this.drawing;
    if (node !== undefined) return this.view.reveal(nodes[node].x, nodes[node].y);
    this.view.reveal(...pointAt(edges[edge].path, 0, 0.5));
  }

  /// What a state is called in the drawing, on one line: its number if it has no name.
  shortName(state) {
    const { kind, isPlain, nodes, nodeOf } = this.scene;
    const full = isPlain ? nodes[nodeOf[state]].full : [];
    // The outputs of a Moore machine are below its names.
    return (kind === "moore" ? full[0] : full.join(" ")) || `${state}`;
  }

  nameOf(state) {
    return `State ${this.shortName(state)}`;
  }

  setName(set) {
    if (set.length === 1) return this.nameOf(set[0]);
    return `${count(set.length, "state")} (${this.setShort(set)})`;
  }

  setShort(set) {
    const names = (states) => states.map((state) => this.shortName(state)).join(", ");
    return set.length > 5 ? `${names(set.slice(0, 4))}, … (${set.length})` : names(set);
  }

  stepText(step) {
    return labelText({ hidden: step.hidden, text: this.showStep(step) });
  }

  /// A step of a trace as it is shown: as its label is, if the system has it.
  showStep({ hidden, key, text }) {
    if (text !== undefined) return text;
    const own = this.lts.labels.find((label) => label.hidden === hidden && (hidden || label.key === key));
    return own?.text ?? printableKey(key);
  }
}

const app = new App(readScene(unpacked(JSON.parse(byId("scene").textContent))));
