// Replaying a trace that was given, pasted or read from a file.

class Replay {
  constructor(app, given) {
    Object.assign(this, { app, given, text: "", bytes: null, name: "", format: "auto", weak: false });
    Object.assign(this, { file: null, sequence: 0, run: null, at: 0 });
  }

  /// Replays a trace of those that came with the page.
  start(trace) {
    this.given.forEach((other) => (other.chosen = other === trace));
    this.file = { format: "given", sequences: [trace], errors: [] };
    this.weak = trace.weak;
    this.choose(0);
  }

  /// Reads what was pasted, or the file that was opened, and replays it.
  read() {
    this.given.forEach((other) => (other.chosen = false));
    const bytes = this.bytes ?? new TextEncoder().encode(this.text);
    this.file = readTraceFile(bytes, this.name, this.format);
    this.choose(0);
  }

  async open(file) {
    this.bytes = new Uint8Array(await file.arrayBuffer());
    this.name = file.name;
    this.text = textOfKey(keyOfBytes(this.bytes)) ?? "";
    this.read();
  }

  choose(sequence) {
    this.sequence = sequence;
    this.run = this.file.errors.length ? null : this.app.lts.replay(this.file.sequences[sequence], this.weak);
    this.goTo(this.run ? this.run.sets.length - 1 : 0);
    tell(this.run ? this.verdict().text : "The trace has errors");
  }

  /// Shows the states after so many steps.
  goTo(at) {
    this.at = at;
    this.app.mark();
    if (this.run) this.app.reveal(this.run.sets[at][0]);
    this.app.panel.refresh();
  }

  marks() {
    if (!this.run) return { transitions: [], states: [] };
    return { transitions: this.app.lts.ways(this.run, this.at), states: this.run.sets[this.at] };
  }

  /// How the replay ended: `good` and `text`.
  verdict() {
    const { app } = this;
    const { steps, sets, failed, deadlock } = this.run;
    const last = sets[sets.length - 1];
    if (failed >= 0) {
      const step = app.showStep(steps[failed]);
      return { good: false, text: `Step ${failed + 1}, ${step}, is not possible in ${app.setName(last)}.` };
    }
    if (deadlock === false) {
      return { good: false, text: `All ${count(steps.length, "step")} are possible, but no deadlock follows: ${app.setName(last)} can go on.` };
    }
    const end = deadlock ? ", a deadlock" : "";
    return { good: true, text: `Possible: ${count(steps.length, "step")} to ${app.setName(last)}${end}.` };
  }

  show(page) {
    if (this.given.length) page.append(el("h3", {}, "Traces of this page"), this.givenList());
    page.append(el("h3", {}, "Another trace"), ...this.form());
    if (!this.file) return;
    const { errors, sequences, format } = this.file;
    if (format !== "given") page.append(el("p", { class: "note" }, `Read as ${format === "seq" ? "SEQ" : ".trc"}.`));
    if (errors.length) {
      page.append(el("p", { class: "bad", id: "verdict" }, "The trace cannot be read."));
      return page.append(list(errors, ({ line, column, text }) => el("li", {}, el("span", {}, `${line}:${column}: ${text}`))));
    }
    if (sequences.length > 1) page.append(this.sequences(sequences.length));
    const { good, text } = this.verdict();
    page.append(el("p", { class: good ? "good" : "bad", id: "verdict" }, text));
    if (!good) page.append(this.instead());
    page.append(this.walk(), ...[this.steps()].flat());
  }

  givenList() {
    return list(this.given, (trace) => {
      const start = button("", () => this.start(trace), { "data-keep": `given ${trace.name}` });
      start.append(el("span", { class: "label" }, trace.name), el("span", { class: "to" }, count(trace.steps.length, "step")));
      return el("li", { class: trace.chosen ? "now" : null }, start);
    });
  }

  form() {
    const area = el("textarea", {
      id: "trace", spellcheck: "false", "data-keep": "trace", "aria-label": "A trace as SEQ or .trc",
      placeholder: '"COIN !1"\n"TEA"', oninput: () => Object.assign(this, { text: area.value, bytes: null, name: "" }),
    });
    area.value = this.text;
    const file = el("input", { type: "file", id: "file", class: "unseen", accept: ".seq,.trc,.txt", onchange: () => file.files[0] && this.open(file.files[0]) });
    const format = el("select", { id: "format", "aria-label": "Format", "data-keep": "format", onchange: () => (this.format = format.value) },
      [["auto", "SEQ or .trc"], ["seq", "SEQ"], ["trc", ".trc"]].map(([value, text]) =>
        el("option", { value, selected: value === this.format }, text)));
    const weak = el("input", { type: "checkbox", id: "weak", "data-keep": "weak", checked: this.weak, onchange: () => {
      this.weak = weak.checked;
      if (this.file) this.choose(this.sequence);
    } });
    const opening = button("Open a file…", () => file.click(), { "data-keep": "open" });
    const replay = button("Replay", () => this.read(), { id: "replay", "data-keep": "replay" });
    return [
      area,
      el("div", { class: "row" }, replay, opening, file, format),
      el("label", { class: "row" }, weak, "Hidden steps may come in between"),
    ];
  }

  sequences(many) {
    const select = el("select", { id: "sequence", "data-keep": "sequence", onchange: () => this.choose(Number(select.value)) },
      Array.from({ length: many }, (_, k) => el("option", { value: k, selected: k === this.sequence }, `${k + 1}`)));
    return el("label", { class: "row" }, "Sequence ", select, ` of ${many}`);
  }

  /// What the states in which a trace stopped can do instead.
  instead() {
    const { lts } = this.app;
    const last = this.run.sets[this.run.sets.length - 1];
    const labels = lts.enabled(last);
    if (!labels.length) return el("p", {}, last.length > 1 ? "None of these has transitions." : "This state has no transitions.");
    return el("div", {}, el("h3", {}, "Possible there"), list(labels, (label) => el("li", {}, el("span", {}, labelText(label)))));
  }

  walk() {
    const last = this.run.sets.length - 1;
    const go = (text, title, to, keep) =>
      button(text, () => this.goTo(to), { title, "aria-label": title, "data-keep": keep, disabled: to < 0 || to > last || to === this.at });
    return el("div", { class: "row" },
      go("⏮", "To the beginning", 0, "first"),
      go("◀", "A step back", this.at - 1, "before"),
      go("▶", "A step on", this.at + 1, "after"),
      go("⏭", "As far as it goes", last, "last"),
      el("span", { class: "note", id: "position" }, `after ${this.at} of ${count(this.run.steps.length, "step")}`));
  }

  steps() {
    const { app } = this;
    const { steps, sets, failed } = this.run;
    const lines = list(sets, (set, k) => {
      const step = button("", () => this.goTo(k), { "data-keep": `step ${k}` });
      step.append(
        el("span", { class: "number" }, k ? `${k}` : ""),
        k ? app.stepText(steps[k - 1]) : el("span", { class: "label silent" }, "begins"),
        el("span", { class: "to" }, `→ ${app.setShort(set)}`));
      return el("li", { class: k === this.at ? "now" : null }, step);
    }, "ol");
    lines.rows.id = "way";
    lines.growTo(this.at + 1);
    if (failed < 0) return lines;
    const stop = el("span", { class: "bad" }, el("span", { class: "number" }, `${failed + 1}`), app.stepText(steps[failed]), "not possible");
    return [lines, el("ul", { class: "rows" }, el("li", {}, stop))];
  }
}
