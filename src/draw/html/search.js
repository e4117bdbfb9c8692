// Searching labels and states, and walking through what is found.

class Search {
  constructor(app) {
    Object.assign(this, { app, found: [], at: -1, query: "" });
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.walk(1);
    });
    byId("previous").addEventListener("click", () => this.walk(-1));
    byId("query").addEventListener("input", () => this.start(byId("query").value));
    byId("query").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.shiftKey) return;
      event.preventDefault();
      this.walk(-1);
    });
  }

  start(query) {
    this.query = query;
    this.at = -1;
    this.run();
    this.app.mark();
  }

  /// Finds nodes and edges anew: states with this number first, then what has the text.
  run() {
    const { drawing, scene } = this.app;
    const query = this.query.trim().toLowerCase();
    this.found = [];
    if (query) {
      const state = /^\d+$/.test(query) ? Number(query) : -1;
      const exact = scene.nodeOf.length > state && state >= 0 ? drawing.nodeOf[state] : -1;
      if (exact >= 0) this.found.push({ node: exact, state });
      const has = new Set(scene.labels.filter(({ text }) => text.toLowerCase().includes(query)));
      const numeric = state >= 0;
      drawing.nodes.forEach((node, k) => {
        // Numbers are those of states: not of classes, nor how many states one has.
        const own = node.isFolded ? [] : node.lines.slice(1);
        const texts = numeric && (node.states.length || node.cluster) ? own : [...node.lines, ...node.full];
        if (k !== exact && texts.some((text) => text.toLowerCase().includes(query))) this.found.push({ node: k });
      });
      drawing.edges.forEach((edge, k) => {
        const labels = edge.transitions.length ? scene.lts.labelsOf(edge.transitions) : edge.labels;
        if (labels.some((label) => has.has(label))) this.found.push({ edge: k });
      });
    }
    this.at = Math.min(this.at, this.found.length - 1);
    this.tell();
  }

  tell() {
    const { found, at, query } = this;
    const { kind, lts } = this.app.scene;
    const nothing = kind === "clusters" && !lts ? "none: this page has groups, and no single states" : "none";
    const none = query.trim() ? nothing : "";
    byId("count").textContent = found.length ? `${at < 0 ? "" : `${at + 1} of `}${found.length} found` : none;
    for (const id of ["previous", "next"]) byId(id).disabled = !found.length;
  }

  walk(by) {
    const { found } = this;
    if (!found.length) return;
    this.at = this.at < 0 && by < 0 ? found.length - 1 : (this.at + by + found.length) % found.length;
    this.tell();
    const item = found[this.at];
    this.app.select(item.state === undefined ? this.app.selectionOf(item) : { state: item.state });
    this.app.panel.open("details");
  }
}
