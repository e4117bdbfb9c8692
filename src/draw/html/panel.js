// The panel: its tabs, and small things that its pages are made of.

/// An element with properties (`on…` are listeners, others attributes) and children.
function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);
const button = (text, onclick, more = {}) => el("button", { type: "button", onclick, ...more }, text);
const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/// So many lines of a list are shown at first, and at each wish for more.
const LINES = 200;

/// A list of lines, of which `line(item, index)` makes the elements; long ones grow on
/// demand.
function list(items, line, tag = "ul") {
  const rows = el(tag, { class: "rows" });
  const more = button("", () => grow());
  let shown = 0;
  function grow(upto = shown + LINES) {
    for (; shown < Math.min(upto, items.length); shown++) rows.append(line(items[shown], shown));
    more.textContent = `Show more (${count(items.length - shown, "line")} left)`;
    more.hidden = shown >= items.length;
  }
  grow();
  const whole = el("div", {}, rows, more);
  whole.growTo = grow;
  whole.rows = rows;
  return whole;
}

/// The text of a label, as it can be selected.
const labelText = (label) =>
  el("span", { class: label.hidden ? "label silent" : "label", title: label.hidden ? "hidden step" : null }, label.text);

class Panel {
  /// `pages`: for each tab, `name`, `title` and `show(page)`, which fills it.
  constructor(pages) {
    this.pages = pages;
    this.tabs = byId("tabs");
    this.page = byId("pages");
    for (const { name, title } of pages) {
      const tab = button(title, () => this.open(name), { role: "tab", id: `tab-${name}`, "aria-controls": "pages" });
      this.tabs.append(tab);
    }
    this.page.setAttribute("role", "tabpanel");
    this.page.tabIndex = 0;
    this.tabs.addEventListener("keydown", (event) => this.walk(event));
    byId("toggle").addEventListener("click", () => this.toggle());
    this.open(pages[0].name);
  }

  /// Arrow keys walk through the tabs.
  walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = this.pages.findIndex(({ name }) => name === this.now);
    const { name } = this.pages[(at + step + this.pages.length) % this.pages.length];
    this.open(name);
    byId(`tab-${name}`).focus();
  }

  has(name) {
    return this.pages.some((page) => page.name === name);
  }

  open(name) {
    this.now = name;
    for (const page of this.pages) {
      const tab = byId(`tab-${page.name}`);
      tab.setAttribute("aria-selected", String(page.name === name));
      tab.tabIndex = page.name === name ? 0 : -1;
    }
    this.page.setAttribute("aria-labelledby", `tab-${name}`);
    this.page.scrollTop = 0;
    this.refresh();
  }

  /// Fills the open page anew.
  refresh() {
    const inside = this.page.contains(document.activeElement) ? document.activeElement.dataset.keep : null;
    this.page.replaceChildren();
    this.pages.find(({ name }) => name === this.now).show(this.page);
    if (inside) this.page.querySelector(`[data-keep="${CSS.escape(inside)}"]`)?.focus({ preventScroll: true });
  }

  toggle() {
    const panel = byId("panel");
    panel.hidden = !panel.hidden;
    byId("toggle").setAttribute("aria-expanded", String(!panel.hidden));
  }
}

/// Says something to those who do not see it.
const tell = (text) => (byId("told").textContent = text);

/// Copies a text; what happens to the button tells how it went.
async function copy(text, by) {
  const was = by.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  by.textContent = done ? "Copied" : "Not allowed: select the text below";
  setTimeout(() => (by.textContent = was), 1500);
}

/// Saves bytes as a file.
function save(bytes, name) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
