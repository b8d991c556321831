// The page cleaned by filters that are switched live.

import { checkbox, el, select } from "./dom.js";
import { LOOKS } from "./original.js";

const SECTIONS = {
  filters: "Remove", advertisements: "Advertisements", link_lists: "Lists of links", empty_tables: "Tables without substance", removed_links: "Removed links",
};
const TITLES = {
  scripts: "Scripts (never run here)", noscript: "What stands in for scripts", styles: "Style sheets", style_attributes: "Style attributes", images: "Images",
  images_alt: "Images: show ALT text instead", image_links: "Images as links", image_links_alt: "Image links: show ALT text instead", text_links: "Text links", forms: "Forms",
  inputs: "Input fields", buttons: "Buttons", selects: "Drop-down lists", meta: "Meta elements", frames: "Frames",
  table_cell_widths: "Widths of table cells", embeds: "Embedded objects", remove: "Remove them", bundled_list: "By the bundled list of hosts",
  ratio: "Most links for a word outside of links, in a cell", container_ratio: "The same in a container", letters_per_word: "Letters that make a word",
  least_links: "Links that a list has at least", cells: "Look at table cells", containers: "Look at these elements, too", remove_container: "Remove the element, too",
  most_linked: "Share of links from which a page is a portal and keeps its lists", substance: "Elements that are substance", least_characters: "Letters that are substance",
  list: "List removed links at the end", heading: "Heading of the list",
};
// Scripts never run here, whatever is chosen.
const FIXED = ["scripts", "meta"];

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

  /** A field for each setting, made by the type of its default. */
  fields() {
    return Object.entries(this.defaults).map(([section, values]) => el("fieldset", {}, el("legend", {}, SECTIONS[section] ?? section),
      ...Object.entries(values).map(([name, value]) => this.field(`clean-${section}-${name}`, name, value))));
  }

  field(id, name, value) {
    const title = TITLES[name] ?? name.replaceAll("_", " ");
    const change = () => this.show();
    if (typeof value === "boolean") {
      const made = checkbox(id, title, value, change);
      made.querySelector("input").disabled = FIXED.includes(name);
      return made;
    }
    const input = typeof value === "number" ? { type: "number", min: 0, max: name === "most_linked" ? 1 : null, step: name.startsWith("least") ? 1 : "any" } : { type: "text" };
    const shown = Array.isArray(value) ? value.join(" ") : value;
    return el("div", { class: typeof value === "number" ? "field short" : "field" }, el("label", { for: id }, title), el("input", { ...input, id, value: shown, onchange: change }));
  }

  /** The settings that differ from the defaults. */
  settings() {
    const changed = Object.entries(this.defaults).map(([section, values]) => [section, Object.fromEntries(Object.entries(values)
      .map(([name, usual]) => [name, this.chosen(this.form.querySelector(`#clean-${section}-${name}`), usual), usual])
      .filter(([, value, usual]) => JSON.stringify(value) !== JSON.stringify(usual)).map(([name, value]) => [name, value]))]);
    return Object.fromEntries(changed.filter(([, values]) => Object.keys(values).length));
  }

  chosen(input, usual) {
    if (typeof usual === "boolean") return input.checked;
    if (Array.isArray(usual)) return input.value.split(/[\s,]+/).filter(Boolean);
    if (typeof usual === "string") return input.value;
    return input.value !== "" && input.checkValidity() ? Number(input.value) : usual;
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
