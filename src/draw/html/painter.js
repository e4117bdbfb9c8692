// One painting of what is in sight: edges below, nodes above, texts last.

/// What marks nodes and edges, from the weakest to the strongest.
const MARK = { hidden: 1, deadlock: 2, evidence: 4, difference: 8, match: 16, trace: 32, now: 64, selected: 128 };

/// How marked edges look: the strongest mark decides.
const EDGE_LOOKS = [
  ["selected", "accent", 2.6],
  ["now", "trace", 3],
  ["trace", "trace", 3],
  ["match", "match", 4],
  ["difference", "difference", 2.6],
  ["evidence", "evidence", 2.6],
  ["hidden", "hidden", 1.1],
  [null, "edge", 1.1],
];

/// How marked nodes look: fill, line and its width.
const NODE_LOOKS = [
  ["now", "trace-fill", "trace", 3],
  ["difference", "difference-fill", "difference", 2.2],
  ["evidence", "evidence-fill", "evidence", 2.2],
  ["deadlock", "deadlock-fill", "deadlock", 2.2],
  ["trace", "node", "trace", 2.2],
  [null, "node", "text", 1.1],
];

class Painter {
  constructor(view) {
    this.view = view;
    this.c = view.context;
    this.palette = view.palette;
    this.scale = view.scale;
    const [x0, y0] = view.toDrawing(0, 0);
    const [x1, y1] = view.toDrawing(view.width, view.height);
    this.sight = [x0, y0, x1, y1];
  }

  /// Paints; returns how many nodes and edges are in sight.
  paint() {
    const { c, view } = this;
    c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    c.fillStyle = this.palette.ground;
    c.fillRect(0, 0, view.width, view.height);
    c.transform(this.scale, 0, 0, this.scale, view.left, view.top);
    const edges = view.graph.edges.filter((edge) => this.meets(edge.box));
    const nodes = view.graph.nodes.filter((n) => this.meets([n.x - n.rx, n.y - n.ry, n.x + n.rx, n.y + n.ry]));
    this.paintEdges(edges);
    this.paintNodes(nodes);
    this.paintTexts(nodes, edges);
    return nodes.length + edges.length;
  }

  meets([x0, y0, x1, y1]) {
    const [a, b, c, d] = this.sight;
    return x1 >= a && x0 <= c && y1 >= b && y0 <= d;
  }

  /// The marks that count: those that are switched on.
  marks(item) {
    return item.marks & this.view.switches;
  }

  paintEdges(edges) {
    const groups = EDGE_LOOKS.map(() => []);
    for (const edge of edges) {
      const marks = this.marks(edge);
      groups[EDGE_LOOKS.findIndex(([mark]) => !mark || marks & MARK[mark])].push(edge);
    }
    for (let k = groups.length - 1; k >= 0; k--) {
      // Hidden steps are dashed, whatever their colour.
      const hidden = groups[k].filter((edge) => this.marks(edge) & MARK.hidden);
      const others = hidden.length ? groups[k].filter((edge) => !(this.marks(edge) & MARK.hidden)) : groups[k];
      for (const [some, isDashed] of [[others, false], [hidden, true]]) {
        if (some.length) this.paintGroup(some, EDGE_LOOKS[k], edges.length > HEAVY, isDashed);
      }
    }
  }

  paintGroup(edges, [mark, color, width], crowded, isDashed) {
    const { c, scale } = this;
    c.strokeStyle = c.fillStyle = this.palette[color];
    const plain = mark === null || mark === "hidden";
    c.lineWidth = Math.max(width, (plain ? 0.8 : 2) / scale);
    c.globalAlpha = plain && crowded ? Math.min(1, 0.35 + scale / 2) : 1;
    const dashed = isDashed && edges.length < 1500 && scale > 0.15;
    c.setLineDash(dashed ? [5, 4] : []);
    c.beginPath();
    for (const { path } of edges) {
      c.moveTo(path[0], path[1]);
      for (let k = 2; k < path.length; k += 6) {
        c.bezierCurveTo(path[k], path[k + 1], path[k + 2], path[k + 3], path[k + 4], path[k + 5]);
      }
    }
    c.stroke();
    c.setLineDash([]);
    if (scale * 7 > 2) this.paintHeads(edges, plain ? 7 : 9);
    c.globalAlpha = 1;
  }

  paintHeads(edges, size) {
    const { c } = this;
    c.beginPath();
    for (const { path, plain } of edges) {
      if (plain) continue;
      const end = path.length - 2;
      const [x, y] = [path[end], path[end + 1]];
      const [bx, by] = pointAt(path, path.length - 8, 0.85);
      const length = Math.hypot(x - bx, y - by) || 1;
      const [ux, uy] = [((x - bx) / length) * size, ((y - by) / length) * size];
      c.moveTo(x, y);
      c.lineTo(x - ux - uy * 0.4, y - uy + ux * 0.4);
      c.lineTo(x - ux + uy * 0.4, y - uy - ux * 0.4);
      c.closePath();
    }
    c.fill();
  }

  paintNodes(nodes) {
    const halo = nodes.filter((n) => this.marks(n) & (MARK.match | MARK.selected));
    for (const n of halo) {
      const selected = this.marks(n) & MARK.selected;
      this.c.fillStyle = this.palette[selected ? "accent" : "match"];
      const wide = Math.max(selected ? 4 : 6, 3 / this.scale);
      this.c.beginPath();
      this.outline(n, wide);
      this.c.fill();
    }
    const groups = NODE_LOOKS.map(() => []);
    for (const n of nodes) {
      const marks = this.marks(n);
      groups[NODE_LOOKS.findIndex(([mark]) => !mark || marks & MARK[mark])].push(n);
    }
    for (let k = groups.length - 1; k >= 0; k--) {
      const [, fill, line, width] = NODE_LOOKS[k];
      if (groups[k].length) this.paintNodeGroup(groups[k], fill, line, width);
    }
  }

  paintNodeGroup(nodes, fill, line, width) {
    const { c, scale, palette } = this;
    c.strokeStyle = palette[line];
    c.lineWidth = Math.max(width, 0.7 / scale);
    const grounds = new Map();
    for (const n of nodes) {
      const ground = n.class !== null && fill !== "trace-fill" ? fillOfClass(n.class) : palette[fill];
      if (!grounds.has(ground)) grounds.set(ground, []);
      grounds.get(ground).push(n);
    }
    for (const [ground, those] of grounds) {
      c.fillStyle = ground;
      c.beginPath();
      for (const n of those) this.outline(n, 0);
      c.fill();
      c.stroke();
    }
    this.paintInner(nodes);
    this.paintInitial(nodes.filter((n) => n.initial), palette[line]);
  }

  /// A second line within accepting states.
  paintInner(nodes) {
    if (this.scale < 0.2) return;
    this.c.lineWidth = 1;
    this.c.beginPath();
    for (const n of nodes) if (n.accepting) this.outline(n, -3);
    this.c.stroke();
  }

  /// The arrow that enters the initial state.
  paintInitial(nodes, color) {
    const { c, scale } = this;
    for (const { x, y, rx, ry, enter } of nodes) {
      const [dx, dy] = enter ?? [0, -1];
      const [tx, ty] = [x + dx * rx, y + dy * ry];
      const long = Math.max(16, 14 / scale);
      c.strokeStyle = c.fillStyle = color;
      c.lineWidth = Math.max(1.4, 1.4 / scale);
      const path = [tx + dx * long, ty + dy * long];
      for (let k = 1; k <= 3; k++) path.push(path[0] + ((tx - path[0]) * k) / 3, path[1] + ((ty - path[1]) * k) / 3);
      c.beginPath();
      c.moveTo(path[0], path[1]);
      c.lineTo(tx, ty);
      c.stroke();
      this.paintHeads([{ path }], Math.max(7, 7 / scale));
    }
  }

  /// Adds the outline of a node, larger by `more`, to the path.
  outline({ shape, x, y, rx, ry }, more) {
    const { c } = this;
    const [a, b] = [Math.max(rx + more, 1), Math.max(ry + more, 1)];
    if (this.scale * Math.max(rx, ry) < 2.2) {
      const half = Math.max(a, 1.6 / this.scale);
      if (shape === "square" || shape === "round") return c.rect(x - half, y - half, 2 * half, 2 * half);
      c.moveTo(x + half, y);
      return c.arc(x, y, half, 0, 2 * Math.PI);
    }
    switch (shape) {
      case "ellipse":
      case "dot":
        c.moveTo(x + a, y);
        return c.ellipse(x, y, a, b, 0, 0, 2 * Math.PI);
      case "square":
        return c.rect(x - a, y - b, 2 * a, 2 * b);
      case "round":
        return c.roundRect(x - a, y - b, 2 * a, 2 * b, Math.min(8, a, b));
      default:
        throw new Error(`shape ${shape}`);
    }
  }

  paintTexts(nodes, edges) {
    const { c, scale, palette } = this;
    c.textAlign = "center";
    c.textBaseline = "middle";
    if (scale * 11 >= 5.5) {
      c.font = `11px ${FONT}`;
      for (const { text, marks } of edges) {
        if (!text || !this.meets(boxOfText(text))) continue;
        c.fillStyle = palette.ground;
        c.globalAlpha = 0.82;
        c.fillRect(text.x - text.width / 2, text.y - text.height / 2, text.width, text.height);
        c.globalAlpha = 1;
        const shown = marks & this.view.switches;
        const plain = shown & MARK.hidden ? palette.dim : palette.text;
        const own = shown & MARK.difference ? "difference" : shown & MARK.evidence ? "evidence" : null;
        // Several lines begin at one place, so that it is seen where a label goes on.
        const isBlock = text.lines.length > 1;
        c.textAlign = isBlock ? "left" : "center";
        const x = isBlock ? text.x - text.width / 2 + 3 : text.x;
        const ink = (k) => (own && k < text.marked ? palette[own] : plain);
        this.lines(text.lines, x, text.y, 13, ink);
      }
    }
    if (scale * 11 < 5) return;
    c.fillStyle = palette.text;
    c.font = `11px ${FONT}`;
    for (const { lines, x, y, rx, shape } of nodes) {
      c.textAlign = shape === "dot" || shape === "square" ? "left" : "center";
      this.lines(lines, shape === "dot" || shape === "square" ? x + rx + 3 : x, y, 13);
    }
  }

  /// `ink`: the colour of each line, if they differ.
  lines(lines, x, y, height, ink = null) {
    const top = y - ((lines.length - 1) * height) / 2;
    lines.forEach((line, k) => {
      if (ink) this.c.fillStyle = ink(k);
      this.c.fillText(line, x, top + k * height);
    });
  }
}

const FONT = '"DejaVu Sans Mono", Menlo, Consolas, monospace';

/// The ground of the nodes of a class, as in pictures.
const fillOfClass = (id) => {
  const fills = CLASS_FILLS[matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0];
  return fills[id % fills.length];
};

const boxOfText = ({ x, y, width, height }) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
