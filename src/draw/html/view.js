// The drawing on the canvas: what is in sight, painting, and what lies under the pointer.
//
// A canvas paints 20,000 edges some five times faster than SVG does; their texts can be
// selected and copied in the panel.

/// Above so many nodes and edges in sight, a drag moves a picture of them and they are
/// painted anew when it rests.
const HEAVY = 3000;

class View {
  constructor(canvas, told) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.told = told;
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    this.graph = { nodes: [], edges: [] };
    this.looks = new Map();
    this.snapshot = null;
    this.frame = 0;
    this.rest = 0;
    this.readPalette();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", () => {
      this.readPalette();
      this.repaint();
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
  }

  readPalette() {
    const style = getComputedStyle(document.documentElement);
    const names = "ground text dim accent node edge hidden deadlock deadlock-fill difference difference-fill evidence evidence-fill trace trace-fill match";
    this.palette = {};
    for (const name of names.split(" ")) this.palette[name] = style.getPropertyValue(`--${name}`).trim();
  }

  /// Shows nodes and edges; what is in sight stays.
  show(graph) {
    this.graph = graph;
    for (const edge of graph.edges) {
      edge.box = boxOf(edge.path);
      if (edge.text) grow(edge.box, ...boxOfText(edge.text));
    }
    this.snapshot = null;
    this.repaint();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const first = !this.width;
    const [x, y] = first ? [0, 0] : this.toDrawing(this.width / 2, this.height / 2);
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    if (first) this.fit();
    else this.center(x, y);
    this.paint();
  }

  toDrawing(x, y) {
    return [(x - this.left) / this.scale, (y - this.top) / this.scale];
  }

  bounds() {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y, rx, ry } of this.graph.nodes) grow(box, x - rx, y - ry, x + rx, y + ry);
    for (const edge of this.graph.edges) grow(box, ...edge.box);
    return box[0] > box[2] ? [0, 0, 1, 1] : box;
  }

  /// Shows all of it.
  fit() {
    const [x0, y0, x1, y1] = this.bounds();
    const margin = 24;
    const scale = Math.min((this.width - 2 * margin) / (x1 - x0 || 1), (this.height - 2 * margin) / (y1 - y0 || 1));
    this.scale = Math.min(Math.max(scale, 1e-4), 1.6);
    this.center((x0 + x1) / 2, (y0 + y1) / 2);
  }

  center(x, y) {
    this.left = this.width / 2 - x * this.scale;
    this.top = this.height / 2 - y * this.scale;
    this.repaint();
  }

  /// Brings a point into the middle, large enough to read, unless it is in sight already.
  reveal(x, y) {
    const small = this.scale < 0.55;
    const [px, py] = [x * this.scale + this.left, y * this.scale + this.top];
    const margin = Math.min(60, this.width / 6, this.height / 6);
    const inside = px > margin && py > margin && px < this.width - margin && py < this.height - margin;
    if (inside && !small) return this.repaint();
    if (small) this.scale = 0.9;
    this.center(x, y);
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(Math.max(this.scale * factor, 1e-4), 12);
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.moved();
  }

  pan(dx, dy) {
    this.left += dx;
    this.top += dy;
    this.moved();
  }

  /// Paints soon, all of it.
  repaint() {
    this.snapshot = null;
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  /// Paints soon, after a move.
  moved() {
    clearTimeout(this.rest);
    if (this.snapshot) this.rest = setTimeout(() => this.repaint(), 150);
    this.frame ||= requestAnimationFrame(() => (this.snapshot ? this.blit() : this.paint()));
  }

  /// Paints the last picture, moved.
  blit() {
    this.frame = 0;
    const { picture, scale, left, top } = this.snapshot;
    const factor = this.scale / scale;
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.palette.ground;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const [dx, dy] = [(this.left - left * factor) * this.ratio, (this.top - top * factor) * this.ratio];
    c.drawImage(picture, dx, dy, picture.width * factor, picture.height * factor);
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.width) return;
    const painted = new Painter(this).paint();
    this.snapshot = painted > HEAVY ? this.picture() : null;
  }

  picture() {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [this.canvas.width, this.canvas.height];
    picture.getContext("2d").drawImage(this.canvas, 0, 0);
    return { picture, scale: this.scale, left: this.left, top: this.top };
  }

  /// The node or the edge at a place of the window: `{ node }`, `{ edge }` or null.
  at(px, py) {
    const [x, y] = this.toDrawing(px, py);
    const slack = 5 / this.scale;
    const { nodes, edges } = this.graph;
    let best = null;
    let nearest = Infinity;
    nodes.forEach((n, k) => {
      const [dx, dy] = [Math.abs(x - n.x), Math.abs(y - n.y)];
      if (dx > Math.max(n.rx, slack) || dy > Math.max(n.ry, slack)) return;
      // Of small ones that are close to one another the nearest is meant.
      if (Math.hypot(dx, dy) < nearest) [best, nearest] = [k, Math.hypot(dx, dy)];
    });
    if (best !== null) return { node: best };
    nearest = slack;
    edges.forEach((edge, k) => {
      if (onText(edge, x, y)) [best, nearest] = [k, 0];
      const [x0, y0, x1, y1] = edge.box;
      if (x < x0 - slack || y < y0 - slack || x > x1 + slack || y > y1 + slack) return;
      const distance = distanceTo(edge.path, x, y);
      if (distance < nearest) [best, nearest] = [k, distance];
    });
    return best === null ? null : { edge: best };
  }

  /// Pointers, wheel and keys.
  listen() {
    const { canvas } = this;
    const pointers = new Map();
    let travel = 0;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      travel = pointers.size > 1 ? Infinity : 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = place(event);
      const before = pointers.get(event.pointerId);
      if (!before) return this.told.over(this.at(...now), now);
      if (pointers.size === 2) this.pinch(pointers, event.pointerId, now);
      else {
        const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
        travel += Math.hypot(dx, dy);
        if (travel < 4) return;
        canvas.classList.add("dragging");
        this.told.over(null, now);
        this.pan(dx, dy);
      }
      pointers.set(event.pointerId, now);
    });
    const leave = (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) canvas.classList.remove("dragging");
    };
    canvas.addEventListener("pointerup", (event) => {
      const clicked = pointers.has(event.pointerId) && travel < 4;
      leave(event);
      if (clicked) this.told.click(this.at(...place(event)));
    });
    canvas.addEventListener("pointercancel", leave);
    canvas.addEventListener("pointerleave", () => this.told.over(null, [0, 0]));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 0 ? 1 : 16;
      const speed = event.ctrlKey ? 0.01 : 0.0016;
      this.zoom(Math.exp(-event.deltaY * lines * speed), ...place(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 240 : 60;
      const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.pan(...move);
    });
  }

  /// Two fingers: their distance zooms, their middle moves.
  pinch(pointers, moved, now) {
    const [first, second] = [...pointers.keys()];
    const other = pointers.get(moved === first ? second : first);
    const before = pointers.get(moved);
    const length = (a, b) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.zoom(length(now, other) / length(before, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }
}

function grow(box, x0, y0, x1, y1) {
  box[0] = Math.min(box[0], x0);
  box[1] = Math.min(box[1], y0);
  box[2] = Math.max(box[2], x1);
  box[3] = Math.max(box[3], y1);
}

/// What surrounds a path and its control points.
function boxOf(path) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < path.length; k += 2) grow(box, path[k], path[k + 1], path[k], path[k + 1]);
  return box;
}

/// A point of a piece of a path that begins at index `k`.
function pointAt(p, k, t) {
  const u = 1 - t;
  const [a, b, c, d] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return [
    a * p[k] + b * p[k + 2] + c * p[k + 4] + d * p[k + 6],
    a * p[k + 1] + b * p[k + 3] + c * p[k + 5] + d * p[k + 7],
  ];
}

function distanceTo(path, x, y) {
  let best = Infinity;
  for (let k = 0; k + 7 < path.length; k += 6) {
    let [px, py] = [path[k], path[k + 1]];
    for (let step = 1; step <= 12; step++) {
      const [qx, qy] = pointAt(path, k, step / 12);
      best = Math.min(best, distanceToLine(x, y, px, py, qx, qy));
      [px, py] = [qx, qy];
    }
  }
  return best;
}

function distanceToLine(x, y, px, py, qx, qy) {
  const [dx, dy] = [qx - px, qy - py];
  const t = ((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy || 1);
  const s = Math.min(Math.max(t, 0), 1);
  return Math.hypot(x - px - s * dx, y - py - s * dy);
}

const onText = (edge, x, y) =>
  edge.text && Math.abs(x - edge.text.x) < edge.text.width / 2 && Math.abs(y - edge.text.y) < edge.text.height / 2;
