// The pages of classes and of what colours mean.

class Classes {
  constructor(app) {
    this.app = app;
  }

  show(page) {
    const { app } = this;
    const { classes, isPlain } = app.scene;
    const all = classes.map((_, id) => id);
    if (!isPlain) page.append(el("p", { class: "note" }, "Each class is one node of this drawing."));
    else {
      page.append(el("div", { class: "row" },
        button("Fold all", () => app.fold(all, true), { id: "fold-all", "data-keep": "fold all", disabled: app.drawing.folded.size === classes.length }),
        button("Unfold all", () => app.fold(all, false), { id: "unfold-all", "data-keep": "unfold all", disabled: !app.drawing.folded.size })));
    }
    page.append(list(all, (id) => this.line(id)));
  }

  line(id) {
    const { app } = this;
    const { name, size } = app.scene.classes[id];
    const show = button("", () => app.select({ class: id }), { "data-keep": `class ${id}`, title: "Show where it is" });
    show.append(swatch(id), el("span", { class: "label" }, `class ${name}`), el("span", { class: "to" }, count(size, "state")));
    if (!app.scene.isPlain) return el("li", {}, show);
    const on = app.drawing.folded.has(id);
    const fold = button(on ? "Unfold" : "Fold", () => app.fold([id], !on), { class: "go", "data-keep": `fold ${id}`, "aria-label": `${on ? "Unfold" : "Fold"} class ${name}` });
    return el("li", {}, show, fold);
  }
}

const SVG = "http://www.w3.org/2000/svg";

/// A little picture: elements with attributes.
function sample(...shapes) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["width", 34], ["height", 18], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
  for (const [tag, attributes] of shapes) {
    const shape = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    svg.append(shape);
  }
  return svg;
}

const line = (color, width, more = {}) => ["path", { d: "M2 9H32", stroke: `var(--${color})`, "stroke-width": width, fill: "none", ...more }];
const disc = (fill, stroke, width, r = 7) => ["circle", { cx: 17, cy: 9, r, fill: `var(--${fill})`, stroke: `var(--${stroke})`, "stroke-width": width }];
const square = (fill, stroke, width) => ["rect", { x: 10, y: 2, width: 14, height: 14, rx: 2, fill: `var(--${fill})`, stroke: `var(--${stroke})`, "stroke-width": width }];
const swatch = (id) => {
  const dot = el("span", { class: "swatch" });
  dot.style.background = fillOfClass(id);
  return dot;
};

class Legend {
  constructor(app) {
    this.app = app;
  }

  /// What can be switched: the mark, its meaning and its picture.
  switches() {
    const { kind } = this.app.scene;
    const nodes = kind === "network" ? "hidden gates" : "hidden steps";
    return [
      ["deadlock", kind === "clusters" ? "groups with deadlocks" : "deadlocks", [square("deadlock-fill", "deadlock", 2)]],
      ["hidden", nodes, [line("hidden", 1.4, { "stroke-dasharray": "5 4" })]],
      ["evidence", "what was found: a trace, evidence", [line("evidence", 2.6), disc("evidence-fill", "evidence", 2.2)]],
      ["difference", "the difference", [line("difference", 2.6), disc("difference-fill", "difference", 2.2)]],
    ];
  }

  show(page) {
    const { app } = this;
    const { scene, view } = app;
    // Of a trace its steps count, of a network its gates, and not what joins them.
    const has = (items, mark) => items.filter(({ base }) => base & MARK[mark]).length;
    const inEdges = (mark) => mark !== "deadlock" && scene.kind !== "network";
    const rows = el("ul", { class: "legend" });
    for (const [mark, text, shapes] of this.switches()) {
      const many = (inEdges(mark) && has(scene.edges, mark)) || has(scene.nodes, mark);
      if (!many) continue;
      const box = el("input", { type: "checkbox", id: `switch-${mark}`, "data-keep": mark, checked: Boolean(view.switches & MARK[mark]), onchange: () => {
        view.switches = box.checked ? view.switches | MARK[mark] : view.switches & ~MARK[mark];
        view.repaint();
      } });
      rows.append(el("li", {}, el("label", {}, box, sample(...shapes), text, el("span", { class: "count" }, `${many}`))));
    }
    page.append(el("h3", {}, "Colours"), rows.children.length ? rows : el("p", { class: "note" }, "Nothing is marked in this drawing."));
    const others = [];
    if (scene.kind !== "network") others.push([["path", { d: "M1 9H9M6 6L10 9L6 12", stroke: "var(--text)", fill: "none" }], disc("node", "text", 1.2)], "the initial state");
    if (scene.nodes.some(({ accepting }) => accepting)) others.push([disc("node", "text", 1.2), disc("node", "text", 1.2, 4)], "accepting states");
    others.push([disc("node", "accent", 4)], "selected");
    others.push([disc("match", "match", 2, 6)], "found by the search");
    if (scene.lts) {
      others.push([disc("trace-fill", "trace", 3)], "where stepping or the replay is");
      others.push([line("trace", 3)], "the way there");
    }
    const fixed = el("ul", { class: "legend" });
    for (let k = 0; k < others.length; k += 2) fixed.append(el("li", {}, sample(...others[k]), others[k + 1]));
    page.append(el("h3", {}, "Always shown"), fixed);
    if (scene.classes.length) page.append(el("p", { class: "note" }, "States of a class have the same ground."));
    if (scene.kind === "clusters" && !scene.classes.length) {
      page.append(el("p", { class: "note" }, "Each node is a group of states; its area tells how many they are. Groups hang below those that they are reached through, by the distance from the initial state. A box stands for the groups below it as well that are not drawn."));
    }
    page.append(...scene.told.map((text) => el("p", { class: "note" }, text)));
  }
}
