// The data of the page: objects made of looks and columns of numbers, as data.rs wrote them.

/// What each letter of a number is worth, by its code.
const DIGITS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, digit) => (DIGITS[letter.charCodeAt(0)] = digit));

/// Numbers of a text (Base64 VLQ), one after the other.
class Numbers {
  constructor(text) {
    Object.assign(this, { text, at: 0 });
  }

  get isOver() {
    return this.at === this.text.length;
  }

  next() {
    let number = 0;
    for (let unit = 1; ; unit *= 32) {
      const digit = DIGITS[this.text.charCodeAt(this.at++)];
      number += (digit % 32) * unit;
      if (digit < 32) return number % 2 ? (1 - number) / 2 : number / 2;
    }
  }

  /// A list: its length, and then differences.
  list() {
    let before = 0;
    return Array.from({ length: this.next() }, () => (before += this.next()));
  }

  /// A point, told by its distance to another one in tenths.
  point([x, y] = [0, 0]) {
    const tenth = (from) => (Math.round(from * 10) + this.next()) / 10;
    return [tenth(x), tenth(y)];
  }
}

function nodesOf({ looks, numbers }) {
  const read = new Numbers(numbers);
  const nodes = [];
  let state = 0;
  while (!read.isOver) {
    const node = { ...looks[read.next()] };
    if (node.state !== undefined) node.state = state += read.next();
    node.at = read.point();
    nodes.push(node);
  }
  return nodes;
}

function edgesOf({ looks, numbers }, nodes) {
  const read = new Numbers(numbers);
  const edges = [];
  let [source, target] = [0, 0];
  while (!read.isOver) {
    const edge = { ...looks[read.next()] };
    edge.source = source += read.next();
    edge.target = target += read.next();
    const labels = read.list();
    if (labels.length) edge.labels = labels;
    const length = read.next();
    let near = nodes[source].at;
    edge.path = Array.from({ length }, (_, k) => (near = read.point(k === length - 1 ? nodes[target].at : near)));
    if (edge.text_at) edge.text_at = read.point(nodes[source].at);
    edges.push(edge);
  }
  return edges;
}

function rowsOf(text) {
  const read = new Numbers(text);
  const initial = read.next();
  const [offsets, labels, targets, nodes, classes] = Array.from({ length: 5 }, () => read.list());
  return { initial, offsets, labels, targets, nodes, ...(classes.length && { classes }) };
}

/// Gives traces their steps.
function addSteps(traces, { looks, numbers }) {
  const read = new Numbers(numbers);
  for (const trace of traces) {
    trace.steps = Array.from({ length: read.next() }, () => ({ ...looks[read.next()], states: read.list() }));
  }
}

/// The scene, as `draw --to json` writes it.
function unpacked({ packed, ...scene }) {
  scene.nodes = nodesOf(packed.nodes);
  scene.edges = edgesOf(packed.edges, scene.nodes);
  if (packed.steps !== undefined) addSteps(scene.traces, packed.steps);
  if (packed.rows !== undefined) scene.rows = rowsOf(packed.rows);
  return scene;
}
