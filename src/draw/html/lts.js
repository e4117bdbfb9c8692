// The transitions of the drawing, and what can be asked of them.

/// Rows: for each of `count` keys, the indices `k` with `keys[k]` equal to it, ascending.
function rowsBy(keys, count) {
  const offsets = new Int32Array(count + 1);
  for (const key of keys) offsets[key + 1]++;
  for (let k = 0; k < count; k++) offsets[k + 1] += offsets[k];
  const next = offsets.slice(0, count);
  const items = new Int32Array(keys.length);
  keys.forEach((key, k) => (items[next[key]++] = k));
  return (key) => items.subarray(offsets[key], offsets[key + 1]);
}

/// A label of a Mealy machine without spaces around its slashes, which not all tools write.
const tight = (key) => key.replace(/ *\/ */g, "/");

class Lts {
  /// `from`, `label`, `to`: a column each; `labels`: objects with `text`, `key`, `hidden`.
  constructor(states, initial, from, label, to, labels) {
    Object.assign(this, { states, initial, from, label, to, labels });
    this.outgoing = rowsBy(from, states);
    this.incoming = rowsBy(to, states);
  }

  isDeadlock(state) {
    return this.outgoing(state).length === 0;
  }

  isHidden(transition) {
    return this.labels[this.label[transition]].hidden;
  }

  /// Whether a transition is what a step of a trace says.
  fits(transition, step) {
    const label = this.labels[this.label[transition]];
    if (step.hidden || label.hidden) return step.hidden && label.hidden;
    return label.key === step.key || (this.isMealy && tight(label.key) === tight(step.key));
  }

  /// Where transitions that `takes` accepts lead from a set of states, ascending.
  successors(set, takes) {
    const found = new Set();
    for (const state of set) {
      for (const t of this.outgoing(state)) if (takes(t)) found.add(this.to[t]);
    }
    return [...found].sort((a, b) => a - b);
  }

  /// A set of states and what hidden steps lead to, ascending.
  closure(set) {
    const found = new Set(set);
    const open = [...set];
    while (open.length) {
      for (const t of this.outgoing(open.pop())) {
        if (this.isHidden(t) && !found.has(this.to[t])) {
          found.add(this.to[t]);
          open.push(this.to[t]);
        }
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  /// Follows a trace from the initial state through all states that it can lead to.
  /// `weak`: hidden steps may come in between.
  ///
  /// `sets`: the states before the first step and after each one, as far as it goes;
  /// `failed`: the step that nothing does, or -1; `deadlock`: whether the trace ends as
  /// `<deadlock>` asks, or null if it does not ask.
  replay({ steps, deadlock }, weak) {
    const close = (set) => (weak ? this.closure(set) : set);
    const sets = [close([this.initial])];
    let failed = -1;
    for (let k = 0; k < steps.length; k++) {
      const next = close(this.successors(sets[k], (t) => this.fits(t, steps[k])));
      if (!next.length) {
        failed = k;
        break;
      }
      sets.push(next);
    }
    const last = sets.length - 1;
    const ends = sets[last].filter((state) => this.isDeadlock(state));
    const reached = failed < 0 && ends.length > 0;
    if (deadlock && reached) sets[last] = ends;
    return { steps, sets, failed, deadlock: deadlock ? reached : null, weak };
  }

  /// The transitions on the ways of a replay that get as far as step `upto`: backwards
  /// from the states there.
  ways({ steps, sets, weak }, upto) {
    const used = new Set();
    let goal = new Set(sets[upto]);
    for (let k = upto; k >= 0; k--) {
      if (weak) goal = this.hiddenWays(sets[k], goal, used);
      if (k === 0) break;
      const before = new Set();
      for (const state of sets[k - 1]) {
        for (const t of this.outgoing(state)) {
          if (goal.has(this.to[t]) && this.fits(t, steps[k - 1])) {
            used.add(t);
            before.add(state);
          }
        }
      }
      goal = before;
    }
    return used;
  }

  /// The states of `within` from which hidden steps lead to `goal`; these steps are added
  /// to `used`.
  hiddenWays(within, goal, used) {
    const inside = new Set(within);
    const found = new Set(goal);
    const open = [...goal];
    while (open.length) {
      for (const t of this.incoming(open.pop())) {
        if (!this.isHidden(t) || !inside.has(this.from[t])) continue;
        used.add(t);
        if (!found.has(this.from[t])) {
          found.add(this.from[t]);
          open.push(this.from[t]);
        }
      }
    }
    return found;
  }

  /// The labels of transitions, each once, in the order of the table.
  labelsOf(transitions) {
    const found = new Set();
    for (const t of transitions) found.add(this.label[t]);
    return [...found].sort((a, b) => a - b).map((label) => this.labels[label]);
  }

  /// The labels that a set of states can go on with.
  enabled(set) {
    return this.labelsOf(set.flatMap((state) => [...this.outgoing(state)]));
  }

  /// The transitions of a shortest path from the initial state, or null.
  shortestPath(goal) {
    const by = new Map([[this.initial, -1]]);
    const queue = [this.initial];
    for (let k = 0; k < queue.length && !by.has(goal); k++) {
      for (const t of this.outgoing(queue[k])) {
        if (by.has(this.to[t])) continue;
        by.set(this.to[t], t);
        queue.push(this.to[t]);
      }
    }
    if (!by.has(goal)) return null;
    const path = [];
    for (let t = by.get(goal); t >= 0; t = by.get(this.from[t])) path.push(t);
    return path.reverse();
  }
}
