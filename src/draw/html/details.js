// The page of the panel that tells of what is selected.

class Details {
  constructor(app) {
    this.app = app;
  }

  get scene() {
    return this.app.scene;
  }

  show(page) {
    const { app, scene } = this;
    const { selected, drawing } = app;
    if (!selected) return page.append(...this.nothing());
    if (selected.state !== undefined) return page.append(...this.state(selected.state));
    if (selected.transitions) return page.append(...this.transitions(selected.transitions));
    if (selected.edge !== undefined) return page.append(...this.edge(drawing.edges[selected.edge]));
    if (selected.class !== undefined) {
      const node = drawing.nodes.find((other) => other.class === selected.class);
      const group = scene.isPlain ? { ...drawing.classNode(selected.class), isFolded: true } : node;
      return page.append(...this.group(group));
    }
    const node = drawing.nodes[selected.node];
    const isPart = node.component !== null || node.gate !== null;
    page.append(...(isPart ? this.part(selected.node) : this.group(node)));
  }

  nothing() {
    const { scene } = this;
    const what = { lts: "state or an edge", mealy: "state or an edge", moore: "state or an edge", clusters: "group of states", network: "component or a gate" };
    return [
      el("h2", {}, scene.title),
      el("p", {}, scene.sizes),
      ...scene.told.map((text) => el("p", { class: "note" }, text)),
      el("p", {}, `Click a ${what[scene.kind]} to learn more of it.`),
      ...(scene.lts ? [el("p", {}, "Step goes through the system by hand, Replay follows a trace.")] : []),
      el("h3", {}, "Keys"),
      el("dl", {}, KEYS.filter(([keys]) => scene.lts || keys !== STEPPING).flatMap(([keys, does]) => [
        el("dt", {}, keys.split(" ").flatMap((key, k) => [k ? " " : "", el("kbd", {}, key)])),
        el("dd", {}, does)])),
    ];
  }

  /// A few words for the pointer's tip.
  brief({ node, edge }) {
    const { drawing } = this.app;
    if (edge !== undefined) {
      const { labels, more, size, plain } = drawing.edges[edge];
      const lines = labels.slice(0, 12).map((label) => label.text);
      const left = labels.length - lines.length + more;
      if (left > 0) lines.push(`… ${left} more`);
      return lines.length || plain ? lines.join("\n") || count(size, "transition") : count(size, "transition");
    }
    const { states, cluster, lines, full, isFolded, class: id } = drawing.nodes[node];
    if (cluster) return count(cluster.size, "state") + (cluster.rank === undefined ? "" : `, rank ${cluster.rank}`);
    if (isFolded || states.length !== 1) return lines.join("\n");
    const group = id === null ? "" : `\nclass ${this.scene.classes[id].name}`;
    const name = full.join("\n");
    return this.app.nameOf(states[0]) + (name && name !== this.app.shortName(states[0]) ? `\n${name}` : "") + group;
  }

  state(state) {
    const { app, scene } = this;
    const { lts } = scene;
    const id = scene.classOf[state];
    const facts = [];
    const node = scene.nodes[scene.nodeOf[state]];
    const name = scene.isPlain ? node.full.join("\n") : "";
    if (app.shortName(state) !== `${state}`) facts.push(`number ${state}`);
    if (state === lts.initial) facts.push("initial");
    if (scene.isPlain && node.accepting) facts.push("accepting");
    if (lts.isDeadlock(state) && scene.kind === "lts") facts.push("deadlock");
    if (scene.classes[id]) facts.push(`class ${scene.classes[id].name}`);
    const { base } = node;
    if (scene.isPlain && base & MARK.difference) facts.push("part of the difference");
    if (scene.isPlain && base & MARK.evidence) facts.push("part of what was found");
    const outgoing = [...lts.outgoing(state)];
    const incoming = [...lts.incoming(state)];
    const there = button("Step there", () => this.stepTo(state), { "data-keep": "there", title: "Step: a shortest trace from the initial state" });
    return [
      el("h2", {}, app.nameOf(state)),
      name && name !== app.shortName(state) ? el("p", { class: "label" }, name) : null,
      facts.length ? el("p", { class: "note" }, facts.join(", ")) : null,
      el("div", { class: "row" }, there, ...(scene.isPlain && scene.classes[id] ? [this.foldButton(id)] : [])),
      el("h3", {}, `${count(outgoing.length, "outgoing transition")}`),
      list(outgoing, (t) => this.line(t, lts.to[t], "→")),
      el("h3", {}, `${count(incoming.length, "incoming transition")}`),
      list(incoming, (t) => this.line(t, lts.from[t], "←")),
    ].filter(Boolean);
  }

  foldButton(id) {
    const { drawing } = this.app;
    const on = drawing.folded.has(id);
    const text = `${on ? "Unfold" : "Fold"} class ${this.scene.classes[id].name}`;
    return button(text, () => this.app.fold([id], !on), { "data-keep": "fold" });
  }

  stepTo(state) {
    this.app.panel.open("steps");
    if (!this.app.steps.goTo(state)) {
      this.app.panel.open("details");
      this.app.panel.page.prepend(el("p", { class: "bad" }, "It cannot be reached from the initial state."));
    }
  }

  /// A transition, and a button that goes to one of its ends.
  line(t, end, arrow) {
    const { lts } = this.scene;
    return el("li", {}, el("span", {}, labelText(lts.labels[lts.label[t]])), this.goTo(end, `${arrow} `));
  }

  goTo(state, before = "") {
    const name = this.app.shortName(state);
    return button(before + name, () => this.app.select({ state }), { class: "go", "aria-label": `Go to state ${name}` });
  }

  transitions(transitions) {
    const { lts } = this.scene;
    return [
      el("h2", {}, count(transitions.length, "transition")),
      list(transitions, (t) =>
        el("li", {}, this.goTo(lts.from[t]), el("span", {}, labelText(lts.labels[lts.label[t]])), el("span", { class: "thin" }, "→"), this.goTo(lts.to[t]))),
    ];
  }

  /// Many states that are one node.
  group(node) {
    const { lts } = this.scene;
    const { cluster, states } = node;
    const name = node.class !== null && node.class !== undefined ? `Class ${this.scene.classes[node.class].name}` : "States";
    const facts = cluster ? clusterFacts(cluster) : [["states", states.length.toLocaleString("en")]];
    if (node.initial) facts.push(["initial state", "in it"]);
    if (node.base & MARK.difference) facts.push(["difference", "a part of it is here"]);
    if (node.base & MARK.evidence) facts.push(["found", "a part of it is here"]);
    const labels = lts ? lts.enabled(states) : [];
    return [
      el("h2", {}, name),
      el("dl", {}, facts.flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)])),
      ...(node.isFolded ? [el("div", { class: "row" }, this.foldButton(node.class))] : []),
      ...(labels.length ? [el("h3", {}, `${count(labels.length, "label")} of transitions from here`), list(labels, (label) => el("li", {}, el("span", {}, labelText(label))))] : []),
      ...(lts ? [el("h3", {}, "States"), list(states, (state) => el("li", {}, button(this.app.nameOf(state), () => this.app.select({ state }))))] : []),
    ];
  }

  /// An edge of a drawing without states.
  edge({ from, to, size, labels, more }) {
    const { nodes } = this.app.drawing;
    const end = (k) => button(this.nameOfNode(nodes[k]), () => this.app.select({ node: k }));
    const isNetwork = this.scene.kind === "network";
    return [
      el("h2", {}, isNetwork ? "Takes part" : count(size, "transition")),
      el("ul", { class: "rows" }, el("li", {}, end(from)), el("li", {}, end(to))),
      ...(labels.length ? [el("h3", {}, "Labels"), list(labels, (label) => el("li", {}, el("span", {}, labelText(label))))] : []),
      ...(more ? [el("p", { class: "note" }, `and ${count(more, "more label", "more labels")}`)] : []),
    ];
  }

  nameOfNode({ cluster, lines, states }) {
    if (cluster) return `${count(cluster.size, "state")} from ${cluster.least}${cluster.rank === undefined ? "" : `, rank ${cluster.rank}`}`;
    return lines.join(", ") || `State ${states[0]}`;
  }

  /// A component or a gate of a network, and what it is connected with.
  part(k) {
    const { nodes, edges } = this.app.drawing;
    const node = nodes[k];
    const isGate = node.gate !== null;
    const others = edges.filter(({ from, to }) => (isGate ? to === k : from === k)).map(({ from, to }) => (isGate ? from : to));
    const [first, ...rest] = node.full;
    const line = (other) => {
      const go = button("", () => this.app.select({ node: other }));
      go.append(el("span", { class: "label" }, this.nameOfNode(nodes[other])));
      return el("li", {}, go);
    };
    return [
      el("h2", {}, isGate ? count(node.full.length, "gate") : first),
      ...(isGate
        ? [node.base & MARK.hidden ? el("p", { class: "note" }, "hidden") : "", list(node.full, (gate) => el("li", {}, el("span", {}, el("span", { class: "label" }, gate))))]
        : rest.map((text) => el("p", { class: "note" }, text))),
      el("h3", {}, isGate ? count(others.length, "component takes part", "components take part") : "Takes part in"),
      list(others, line),
    ].filter(Boolean);
  }
}

const clusterFacts = ({ size, least, rank, below, deadlocks, inner }) => [
  ["states", size.toLocaleString("en")],
  ...(rank === undefined ? [] : [["rank", `${rank}`]]),
  ["smallest number", `${least}`],
  ["deadlocks", deadlocks.toLocaleString("en")],
  ["transitions inside", inner.toLocaleString("en")],
  ...(below ? [["of groups not drawn", count(below, "state")]] : []),
];

const STEPPING = "1 … 9 ⌫";
const KEYS = [
  ["← → ↑ ↓", "move the drawing"],
  ["+ −", "zoom"],
  ["0", "fit to the window"],
  ["/", "search; Enter and Shift+Enter walk through what is found"],
  ["P", "show or hide this panel"],
  ["Esc", "select nothing"],
  [STEPPING, "while stepping: take a transition, go back"],
];
