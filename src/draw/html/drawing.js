// What is drawn: the nodes and edges of the scene, with some classes folded.

/// A measure for texts on edges.
const measure = (() => {
  const context = document.createElement("canvas").getContext("2d");
  const widths = new Map();
  return (text) => {
    context.font = `11px ${FONT}`;
    if (!widths.has(text)) widths.set(text, context.measureText(text).width);
    return widths.get(text);
  };
})();

/// So many labels of an edge are written at it; the others are in the panel.
const EDGE_LINES = 6;

/// A text of these lines around a place.
function textOf(lines, x, y) {
  return { lines, x, y, width: Math.max(...lines.map((line) => measure(line))) + 6, height: lines.length * 13 + 2 };
}

/// The text of an edge that the page makes, around a place.
function textAt(lines, x, y) {
  if (!lines.length) return null;
  const shown = lines.length > EDGE_LINES ? [...lines.slice(0, EDGE_LINES - 1), `… ${lines.length - EDGE_LINES + 1} more`] : lines;
  return textOf(shown.map((line) => (line.length > 40 ? `${line.slice(0, 39)}…` : line)), x, y);
}

/// The path of an edge between two nodes: straight, or bent by `bend` to its left, or a
/// loop at the top of a node.
function route(a, b, bend) {
  if (a === b) {
    const [w, h] = [Math.max(a.rx * 0.9, 12), a.ry + 34];
    return [a.x - a.rx * 0.45, a.y - a.ry * 0.88, a.x - w * 1.3, a.y - h, a.x + w * 1.3, a.y - h, a.x + a.rx * 0.45, a.y - a.ry * 0.88];
  }
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const [mx, my] = [(a.x + b.x) / 2 - dy * bend, (a.y + b.y) / 2 + dx * bend];
  const [x0, y0] = border(a, mx, my);
  const [x1, y1] = border(b, mx, my);
  return [x0, y0, x0 + (2 / 3) * (mx - x0), y0 + (2 / 3) * (my - y0), x1 + (2 / 3) * (mx - x1), y1 + (2 / 3) * (my - y1), x1, y1];
}

/// Where the line from the middle of a node to a point leaves it.
function border({ shape, x, y, rx, ry }, px, py) {
  const [dx, dy] = [px - x, py - y];
  const [u, v] = [Math.abs(dx) / rx, Math.abs(dy) / ry];
  const by = shape === "round" || shape === "square" ? Math.max(u, v) : Math.hypot(u, v);
  return by ? [x + dx / by, y + dy / by] : [x, y];
}

class Drawing {
  constructor(scene) {
    this.scene = scene;
    this.folded = new Set();
    this.members = scene.classes.map(() => []);
    scene.nodes.forEach((node, k) => node.class !== null && this.members[node.class].push(k));
  }

  fold(id, on) {
    if (on) this.folded.add(id);
    else this.folded.delete(id);
  }

  isFolded(node) {
    return this.folded.has(this.scene.nodes[node].class);
  }

  /// Makes nodes and edges anew.
  build() {
    const { scene } = this;
    if (!this.folded.size) {
      this.nodes = scene.nodes;
      this.edges = scene.edges;
    } else {
      this.buildFolded();
    }
    this.nodeOf = new Int32Array(scene.nodeOf.length);
    this.edgeOf = new Int32Array(scene.lts ? scene.lts.from.length : 0).fill(-1);
    this.nodes.forEach(({ states }, k) => states.forEach((state) => (this.nodeOf[state] = k)));
    this.edges.forEach(({ transitions }, k) => transitions.forEach((t) => (this.edgeOf[t] = k)));
  }

  buildFolded() {
    const { scene, folded } = this;
    const at = new Int32Array(scene.nodes.length);
    this.nodes = [];
    const classes = new Map();
    scene.nodes.forEach((node, k) => {
      const id = node.class;
      if (!folded.has(id)) {
        at[k] = this.nodes.push(node) - 1;
      } else {
        if (!classes.has(id)) classes.set(id, this.nodes.push(this.classNode(id)) - 1);
        at[k] = classes.get(id);
      }
    });
    const kept = [];
    const merged = new Map();
    for (const edge of scene.edges) {
      if (!this.isFolded(edge.from) && !this.isFolded(edge.to)) {
        kept.push({ ...edge, from: at[edge.from], to: at[edge.to] });
        continue;
      }
      const [from, to] = [at[edge.from], at[edge.to]];
      const key = `${from} ${to}`;
      if (!merged.has(key)) merged.set(key, { from, to, transitions: [], base: 0, size: 0, more: 0 });
      const into = merged.get(key);
      into.transitions.push(...edge.transitions);
      into.size += edge.size;
      into.base |= edge.base & ~MARK.hidden;
    }
    const joined = [...merged.values()];
    for (const edge of joined) this.finish(edge);
    moveApart(this.nodes, joined);
    findWays(this.nodes, joined);
    placeTexts(this.nodes, joined, kept);
    this.edges = [...kept, ...joined];
  }

  /// A node for a class, where the member is that is nearest to their middle.
  classNode(id) {
    const { scene } = this;
    const nodes = this.members[id].map((k) => scene.nodes[k]);
    const states = nodes.flatMap((node) => node.states);
    const middle = (name) => nodes.reduce((sum, node) => sum + node[name], 0) / nodes.length;
    const [x, y] = [middle("x"), middle("y")];
    const distance = (node) => Math.hypot(node.x - x, node.y - y);
    const nearest = nodes.reduce((best, node) => (distance(node) < distance(best) ? node : best));
    const lines = [`class ${scene.classes[id].name}`, count(states.length, "state")];
    const base = nodes.reduce((marks, node) => marks | node.base, 0);
    const initial = nodes.some((node) => node.initial);
    const rx = Math.max(...lines.map((line) => measure(line))) / 2 + 8;
    return { x: nearest.x, y: nearest.y, rx, ry: 19, size: 11, shape: "round", lines, full: lines, base, initial, states, class: id, isFolded: true };
  }

  /// Gives a merged edge its labels, and its text.
  finish(edge) {
    const { lts } = this.scene;
    const labels = lts.labelsOf(edge.transitions);
    edge.labels = labels;
    if (labels.every((label) => label.hidden)) edge.base |= MARK.hidden;
    edge.text = textAt(labels.map((label) => label.text), 0, 0);
  }
}
