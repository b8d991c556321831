// The page cleaned by filters that are switched live.

import { checkbox, el, select } from "./dom.js";
import { LOOKS } from "./original.js";

const FILTERS = {
  scripts: "Scripts", noscript: "What stands in for scripts", styles: "Style sheets", style_attributes: "Style attributes", images: "Images",
  images_alt: "Images: show ALT text instead", image_links: "Images as links", image_links_alt: "Image links: show ALT text instead", text_links: "Text links", forms: "Forms",
  inputs: "Input fields", buttons: "Buttons", selects: "Drop-down lists", meta: "Meta elements", frames: "Frames",
  table_cell_widths: "Widths of table cells", embeds: "Embedded objects",
};
// Scripts never run here, whatever is chosen.
const HIDDEN = ["scripts", "meta"];

export class CleanedView {
  constructor(panel, defaults, onProblem) {
    Object.assign(this, { defaults, onProblem });
    this.frame = el("iframe", { class: "page", title: "The page, cleaned", sandbox: "allow-same-origin", referrerpolicy: "no-referrer" });
    this.text = el("pre", { class: "output", tabindex: "0", "aria-label": "The cleaned page as text", hidden: true });
    this.form = el("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, ...this.fields());
    this.look = select("clean-look", "Styles and images", LOOKS, { value: "page", onchange: () => this.show() });
    this.as = select("clean-as", "Shown as", [["html", "page"], ["text", "text"]], { value: "html", onchange: () => this.show() });
    this.link = el("a", { class: "button", href: "/" }, "Read on: links lead through the reader");
    panel.replaceChildren(
      el("div", { class: "tools" }, this.as, this.look, this.link),
      el("details", { class: "filter-box" }, el("summary", {}, "Filters: what is removed"), this.form),
      this.frame, this.text);
    // A frame that was never shown has no size; one that is shown again keeps its page.
    this.shown = null;
  }

  fields() {
    const { filters, advertisements, link_lists: lists, empty_tables: tables, removed_links: removed } = this.defaults;
    const change = () => this.show();
    const value = (id, title, number, step) => el("div", { class: "field short" }, el("label", { for: id }, title),
      el("input", { type: "number", id, min: 0, step, value: number, onchange: change }));
    const boxes = Object.keys(filters).filter((name) => !HIDDEN.includes(name))
      .map((name) => checkbox(`filter-${name}`, FILTERS[name] ?? name.replaceAll("_", " "), filters[name], change));
    return [
      el("fieldset", {}, el("legend", {}, "Remove"), ...boxes),
      el("fieldset", {}, el("legend", {}, "Clutter"),
        checkbox("clean-ads", "Advertisements, by host", advertisements.remove, change),
        checkbox("clean-lists", "Lists of links", lists.remove, change),
        value("clean-ratio", "Most links for a word outside of links", lists.ratio, 0.05),
        checkbox("clean-empty", "Tables without substance", tables.remove, change),
        value("clean-least", "Letters that are substance", tables.least_characters, 1),
        checkbox("clean-retain", "List removed links at the end", removed.list, change)),
    ];
  }

  /** The settings that differ from the defaults. */
  settings() {
    const box = (id) => this.form.querySelector(`#${id}`).checked;
    const number = (id, usual) => {
      const field = this.form.querySelector(`#${id}`);
      return field.value !== "" && field.checkValidity() ? Number(field.value) : usual;
    };
    const { filters, link_lists: lists, empty_tables: tables } = this.defaults;
    const chosen = {
      filters: Object.fromEntries(Object.keys(filters).filter((name) => !HIDDEN.includes(name)).map((name) => [name, box(`filter-${name}`)])),
      advertisements: { remove: box("clean-ads") },
      link_lists: { remove: box("clean-lists"), ratio: number("clean-ratio", lists.ratio) },
      empty_tables: { remove: box("clean-empty"), least_characters: Math.round(number("clean-least", tables.least_characters)) },
      removed_links: { list: box("clean-retain") },
    };
    const changed = Object.entries(chosen).map(([section, values]) =>
      [section, Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== this.defaults[section][key]))]);
    return Object.fromEntries(changed.filter(([, values]) => Object.keys(values).length));
  }

  async show(page = this.page) {
    this.page = page;
    const settings = this.settings();
    const written = Object.keys(settings).length ? JSON.stringify(settings) : "";
    const look = this.look.querySelector("select").value;
    const asText = this.as.querySelector("select").value === "text";
    this.frame.hidden = asText;
    this.text.hidden = !asText;
    const address = page.kept.url;
    this.link.hidden = !address || !/^https?:/i.test(address);
    if (!this.link.hidden) {
      const query = new URLSearchParams({ url: address, view: "clean", ...(written && { settings: written }), ...(look !== "page" && { look }) });
      this.link.href = `/read?${query}`;
    }
    try {
      if (asText) this.text.textContent = (await page.ask("clean", { settings, format: "text" })).output;
      else this.frame.src = page.frame("clean", { settings: written, look });
    } catch (error) {
      this.onProblem(error);
    }
  }
}
