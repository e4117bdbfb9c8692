// Folded classes: moved apart, with ways for their edges and places for the texts of these.

/// How much work each of these is worth: pairs of nodes, or of a point and a node.
const MOST_PAIRS = 2e7;

/// Moves folded classes until none lies on another node, and there is room for the texts
/// between those that are joined. Other nodes stay where they are.
function moveApart(nodes, edges) {
  const free = [...nodes.keys()].filter((k) => nodes[k].isFolded);
  const above = nodes.map(() => 0);
  const gaps = new Map();
  const pair = (a, b) => Math.min(a, b) * nodes.length + Math.max(a, b);
  for (const { from, to, text } of edges) {
    // A loop stands above the node, and its text above that.
    if (from === to) above[from] = 30 + (text?.height ?? 0);
    else if (text) {
      const [width, height] = gaps.get(pair(from, to)) ?? [24, 30];
      gaps.set(pair(from, to), [Math.max(width, text.width + 24), height + text.height]);
    }
  }
  const rounds = Math.min(300, Math.ceil(MOST_PAIRS / (free.length * nodes.length)));
  for (let round = 0; round < rounds; round++) {
    let isMoved = false;
    for (const k of free) {
      nodes.forEach((b, other) => {
        // Of two that move, the pair counts once.
        if (other === k || (b.isFolded && other < k)) return;
        const a = nodes[k];
        const [wide, high] = gaps.get(pair(k, other)) ?? [24, 20];
        const [dx, dy] = [a.x - b.x, a.y - b.y];
        const overX = a.rx + b.rx + wide - Math.abs(dx);
        const overY = a.ry + b.ry + high + (dy < 0 ? above[other] : above[k]) - Math.abs(dy);
        if (overX <= 0.5 || overY <= 0.5) return;
        isMoved = true;
        const axis = overX < overY ? "x" : "y";
        const by = (axis === "x" ? overX * (dx < 0 ? -1 : 1) : overY * (dy < 0 ? -1 : 1)) * (b.isFolded ? 0.5 : 1);
        a[axis] += by;
        if (b.isFolded) b[axis] -= by;
      });
    }
    if (!isMoved) return;
  }
}

/// Gives edges of folded classes ways, around other nodes where a bend does it.
function findWays(nodes, edges) {
  const isBounded = edges.length * nodes.length * 63 > MOST_PAIRS;
  const isThere = new Set(edges.map(({ from, to }) => `${from} ${to}`));
  for (const edge of edges) {
    const [a, b] = [nodes[edge.from], nodes[edge.to]];
    // Two that lead back and forth bend to different sides, both to their left.
    const isDouble = a !== b && isThere.has(`${edge.to} ${edge.from}`);
    const bends = isDouble ? [0.12, 0.25, 0.4] : [0, 0.12, -0.12, 0.25, -0.25, 0.4, -0.4];
    let least = Infinity;
    for (const bend of isBounded || a === b ? bends.slice(0, 1) : bends) {
      const path = route(a, b, bend);
      const met = isBounded ? 0 : nodesOn(path, nodes, a, b);
      if (met < least) [edge.path, least] = [path, met];
      if (!met) break;
    }
  }
}

/// At how many of some points a path is on nodes other than its ends.
function nodesOn(path, nodes, a, b) {
  let met = 0;
  for (let step = 1; step < 10; step++) {
    const [x, y] = pointAt(path, 0, step / 10);
    for (const n of nodes) {
      if (n !== a && n !== b && Math.abs(x - n.x) < n.rx + 4 && Math.abs(y - n.y) < n.ry + 4) met++;
    }
  }
  return met;
}

/// Puts the texts of these edges where they cover neither nodes nor other texts, if there is
/// such a place on the edge; else where they cover least.
function placeTexts(nodes, edges, others) {
  const taken = nodes.map(({ x, y, rx, ry }) => [x - rx, y - ry, x + rx, y + ry]);
  for (const { text } of others) if (text) taken.push(boxOfText(text));
  const isBounded = edges.length * taken.length * 7 > MOST_PAIRS;
  const covered = ([x0, y0, x1, y1]) => taken.reduce((sum, [a, b, c, d]) => {
    const [w, h] = [Math.min(x1, c) - Math.max(x0, a), Math.min(y1, d) - Math.max(y0, b)];
    return w > 0 && h > 0 ? sum + w * h : sum;
  }, 0);
  for (const edge of edges) {
    if (!edge.text) continue;
    const { from, to, path, text } = edge;
    let least = Infinity;
    let best = null;
    // The text of a loop stands above it.
    const [, top] = pointAt(path, 0, 0.5);
    const lift = from === to ? -text.height / 2 : 0;
    for (const t of isBounded || from === to ? [0.5] : [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const [x, y] = from === to ? [nodes[from].x, top + lift] : pointAt(path, 0, t);
      const placed = { ...text, x, y };
      const over = isBounded ? 0 : covered(boxOfText(placed));
      if (over < least) [best, least] = [placed, over];
      if (!over) break;
    }
    edge.text = best;
    taken.push(boxOfText(best));
  }
}
