// From the data of the page to what its parts work with.

const SHAPES = { ellipse: "ellipse", box: "round", dot: "dot" };

/// Points to columns x, y, x, y…; a straight line becomes a curve that is one.
function pathOf(points) {
  if (points.length !== 2) return points.flat();
  const [[x, y], [z, w]] = points;
  const [dx, dy] = [(z - x) / 3, (w - y) / 3];
  return [x, y, x + dx, y + dy, z - dx, w - dy, z, w];
}

/// The labels of the data, with the bytes by which traces are compared.
const readLabels = (labels) =>
  labels.map(({ text, hidden = false, bytes }, index) => ({
    index, text, hidden, key: bytes ? keyOfBytes(Uint8Array.from(bytes)) : keyOfText(text),
  }));

/// The marks that a node or an edge has by itself.
const baseOf = ({ hidden, deadlock, highlighted, differs }) =>
  (hidden ? MARK.hidden : 0) | (deadlock ? MARK.deadlock : 0) | (highlighted ? MARK.evidence : 0) | (differs ? MARK.difference : 0);

function readNode(node) {
  const [x, y] = node.at;
  const { cluster = null, component = null, gate = null, initial = false, accepting = false } = node;
  return {
    x, y, rx: node.width / 2, ry: node.height / 2, size: 11, shape: node.shape === "dot" && node.deadlock ? "square" : SHAPES[node.shape],
    lines: node.lines ?? [], full: node.full ?? node.lines ?? [], base: baseOf(node), initial, accepting, cluster, component, gate,
    class: node.class ?? null, states: node.state === undefined ? [] : [node.state], isFolded: false,
  };
}

function readEdge(edge, labels) {
  const { source, target, plain = false, more = 0, transitions: size } = edge;
  const own = (edge.labels ?? []).map((label) => labels[label]);
  const lines = edge.lines ?? own.map((label) => label.text);
  const text = edge.text_at ? { ...textOf(lines, ...edge.text_at), marked: edge.marked_lines ?? 0 } : null;
  return { from: source, to: target, path: pathOf(edge.path), text, plain, more, size, base: baseOf(edge), labels: own, transitions: [] };
}

function readRows(rows, labels) {
  const from = new Int32Array(rows.targets.length);
  for (let state = 0; state + 1 < rows.offsets.length; state++) {
    from.fill(state, rows.offsets[state], rows.offsets[state + 1]);
  }
  return new Lts(rows.offsets.length - 1, rows.initial, from, rows.labels, rows.targets, labels);
}

/// The traces of the data, as they are replayed: without hidden steps in between if they
/// are possible so.
function readGivenTraces(traces, lts) {
  return (traces ?? []).map(({ name, steps, deadlock = false, possible }) => {
    const read = steps.map(({ text, label }) => {
      const { hidden, key } = label === undefined ? { hidden: false, key: null } : lts.labels[label];
      return { hidden, key, text };
    });
    const trace = { name, steps: read, deadlock, possible };
    const reach = (weak) => lts.replay(trace, weak).sets.length;
    return { ...trace, weak: reach(false) <= read.length && reach(true) > reach(false) };
  });
}

const NOUNS = {
  lts: ["State", "state", "transition"],
  mealy: ["State", "state", "transition"],
  moore: ["State", "state", "transition"],
  clusters: ["Group", "state", "transition"],
  network: ["Part", "component", "gate"],
};

function readScene(data) {
  const labels = readLabels(data.labels);
  const nodes = data.nodes.map(readNode);
  const edges = data.edges.filter((edge) => edge.path.length > 1).map((edge) => readEdge(edge, labels));
  const lts = data.rows ? readRows(data.rows, labels) : null;
  if (lts) lts.isMealy = data.kind === "mealy";
  const [noun, one, other] = NOUNS[data.kind];
  const scene = {
    kind: data.kind, title: data.title, told: data.told ?? [], noun, labels, nodes, edges, lts,
    sizes: `${count(data.states, one)}, ${count(data.transitions, other)}`,
    traces: lts ? readGivenTraces(data.traces, lts) : [],
    classes: data.classes ?? [],
    classOf: data.rows?.classes ?? [],
    nodeOf: Int32Array.from(data.rows?.nodes ?? []),
    /// Whether every state has a node of its own, so that classes can be folded here.
    isPlain: data.kind !== "clusters" && data.kind !== "network",
  };
  if (lts) connect(scene);
  return scene;
}

/// Tells nodes their states and edges their transitions.
function connect({ nodes, edges, nodeOf, lts }) {
  for (const node of nodes) node.states = [];
  nodeOf.forEach((node, state) => nodes[node].states.push(state));
  const between = new Map(edges.map((edge) => [edge.from * nodes.length + edge.to, edge]));
  for (let t = 0; t < lts.from.length; t++) {
    between.get(nodeOf[lts.from[t]] * nodes.length + nodeOf[lts.to[t]])?.transitions.push(t);
  }
}
