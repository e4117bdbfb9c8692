// Stepping through: a path from the initial state, one chosen transition after the other.

class Steps {
  constructor(app) {
    this.app = app;
    this.path = [];
  }

  get lts() {
    return this.app.lts;
  }

  get state() {
    return this.path.length ? this.lts.to[this.path[this.path.length - 1]] : this.lts.initial;
  }

  take(transition) {
    this.path.push(transition);
    this.moved();
  }

  back() {
    if (!this.path.length) return;
    this.path.pop();
    this.moved();
  }

  restart() {
    this.path = [];
    this.moved();
  }

  /// Takes a shortest path to a state instead; false if there is none.
  goTo(state) {
    const path = this.lts.shortestPath(state);
    if (!path) return false;
    this.path = path;
    this.moved();
    return true;
  }

  moved() {
    tell(`${this.app.nameOf(this.state)}, ${count(this.lts.outgoing(this.state).length, "transition")}`);
    this.app.mark();
    this.app.reveal(this.state);
    this.app.panel.refresh();
  }

  /// What of the drawing is marked: transitions and states.
  marks() {
    return { transitions: this.path, states: [this.state] };
  }

  show(page) {
    const { state, lts, app } = this;
    const outgoing = [...lts.outgoing(state)];
    page.append(
      el("h2", {}, `At ${app.nameOf(state)}`),
      el("div", { class: "row" },
        button("Back", () => this.back(), { "data-keep": "back", disabled: !this.path.length, title: "Back (Backspace)" }),
        button("To the beginning", () => this.restart(), { "data-keep": "restart", disabled: !this.path.length })),
      el("h3", {}, outgoing.length ? "Choose a transition" : "No transitions: a deadlock"));
    if (outgoing.length) page.append(list(outgoing, (t, k) => this.choice(t, k)));
    page.append(el("h3", {}, `Trace: ${count(this.path.length, "step")}`));
    if (!this.path.length) page.append(el("p", { class: "note" }, `The trace begins in ${app.nameOf(lts.initial)}.`));
    else page.append(this.trace());
    page.append(...asSeq(this.path.map((t) => lts.labels[lts.label[t]]), outgoing.length === 0));
  }

  choice(t, k) {
    const { lts, app } = this;
    const number = el("span", { class: "number" }, k < 9 ? `${k + 1}` : "");
    const to = el("span", { class: "to" }, `→ ${app.shortName(lts.to[t])}`);
    const take = button("", () => this.take(t), { "data-keep": `take ${k}` });
    take.append(number, labelText(lts.labels[lts.label[t]]), to);
    return el("li", {}, take);
  }

  trace() {
    const { lts, app } = this;
    return list(this.path, (t, k) => {
      const step = button("", () => app.select({ state: lts.to[t] }), { title: "Show this state" });
      step.append(
        el("span", { class: "number" }, `${k + 1}`),
        labelText(lts.labels[lts.label[t]]),
        el("span", { class: "to" }, `→ ${app.shortName(lts.to[t])}`));
      return el("li", { class: k === this.path.length - 1 ? "now" : null }, step);
    }, "ol");
  }

  /// Keys while the drawing or the panel has the focus; true if one was meant for this.
  key(event) {
    const outgoing = this.lts.outgoing(this.state);
    if (event.key === "Backspace") this.back();
    else if (/^[1-9]$/.test(event.key) && event.key <= outgoing.length) this.take(outgoing[event.key - 1]);
    else return false;
    return true;
  }
}

/// A trace as SEQ, to copy and to save.
function asSeq(labels, deadlock) {
  const { text: key, problem } = writeSeq(labels, deadlock);
  if (problem) return [el("p", { class: "note" }, problem)];
  const text = textOfKey(key);
  const saving = button("Save as SEQ", () => save(bytesOfKey(key), "trace.seq"), { "data-keep": "save" });
  if (text === null) {
    const note = "A label is no UTF-8: the trace can be saved, not copied.";
    return [el("div", { class: "row" }, saving), el("p", { class: "note" }, note)];
  }
  const area = el("textarea", { readonly: true, id: "seq", spellcheck: "false", "aria-label": "The trace as SEQ" });
  area.value = text;
  const copying = button("Copy as SEQ", (event) => copy(text, event.currentTarget), { id: "copy", "data-keep": "copy" });
  return [
    el("div", { class: "row" }, copying, saving),
    el("details", {}, el("summary", {}, "The trace as SEQ"), area),
  ];
}
