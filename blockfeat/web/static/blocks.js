// The blocks as a table that can be sorted and filtered.

import { blockDetails, verdict } from "./details.js";
import { el, number, plural, select, signed } from "./dom.js";

const COLUMNS = [
  ["index", "#", "number"], ["kept", "Verdict", ""], ["score", "Score", "number"], ["words", "Words", "number"], ["role", "Role", ""],
  ["text", "Text", "text"], ["reason", "Reason", "text"],
];

export class BlocksView {
  constructor(panel, { onProblem, onOriginal }) {
    Object.assign(this, { panel, onProblem, onOriginal, blocks: [], by: "index", down: false });
    this.filter = el("input", { type: "search", id: "filter", placeholder: "words of the text or the reason", oninput: () => this.fill() });
    this.which = select("which", "Verdict", [["", "all"], ["kept", "kept"], ["dropped", "dropped"]], { onchange: () => this.fill() });
    this.count = el("p", { class: "hint", role: "status" });
    this.heads = COLUMNS.map(([key, title, type]) =>
      el("th", { scope: "col", class: type }, el("button", { type: "button", onclick: () => this.sort(key) }, title, el("span", { class: "arrow", "aria-hidden": "true" }))));
    this.body = el("tbody");
    panel.replaceChildren(
      el("div", { class: "tools" }, el("div", { class: "field grow" }, el("label", { for: "filter" }, "Find"), this.filter), this.which),
      this.count,
      el("div", { class: "scroll" }, el("table", { class: "blocks" }, el("caption", { class: "hidden" }, "The blocks of the page"), el("thead", {}, el("tr", {}, ...this.heads)), this.body)));
  }

  show(page, choices, blocks) {
    Object.assign(this, { page, choices, blocks });
    this.fill();
  }

  sort(key) {
    this.down = this.by === key ? !this.down : key === "score" || key === "words";
    this.by = key;
    this.fill();
  }

  fill() {
    const words = this.filter.value.trim().toLowerCase();
    const which = this.which.querySelector("select").value;
    const sign = this.down ? -1 : 1;
    const wanted = this.blocks
      .filter((block) => (!which || (which === "kept") === block.kept) && (!words || `${block.text} ${block.reason}`.toLowerCase().includes(words)))
      .sort((a, b) => sign * compared(a[this.by], b[this.by]) || a.index - b.index);
    COLUMNS.forEach(([key], place) => this.heads[place].setAttribute("aria-sort", key !== this.by ? "none" : this.down ? "descending" : "ascending"));
    this.count.textContent = `${plural(wanted.length, "block")} of ${number(this.blocks.length)}`;
    this.body.replaceChildren(...wanted.map((block) => this.row(block)));
  }

  row(block) {
    const more = el("button", { type: "button", class: "plain", "aria-expanded": "false", onclick: (event) => this.toggle(block, event.currentTarget) },
      block.text.length > 140 ? `${block.text.slice(0, 140)}…` : block.text || "(no text)");
    return el("tr", {},
      el("td", { class: "number" }, String(block.index)), el("td", {}, verdict(block)), el("td", { class: "number" }, signed(block.score, 1)),
      el("td", { class: "number" }, number(block.words)), el("td", {}, block.role), el("td", { class: "text", dir: "auto" }, more),
      el("td", { class: "text soft" }, block.reason.replace(/^(kept|dropped): /, "")));
  }

  async toggle(block, button) {
    const row = button.closest("tr");
    if (button.getAttribute("aria-expanded") === "true") {
      button.setAttribute("aria-expanded", "false");
      row.nextElementSibling.remove();
      return;
    }
    button.setAttribute("aria-expanded", "true");
    const cell = el("td", { colspan: COLUMNS.length }, "…");
    row.after(el("tr", { class: "more" }, cell));
    try {
      const { blocks } = await this.page.ask("explain", { ...this.choices, blocks: [block.index] });
      cell.replaceChildren(blockDetails(blocks[0]), el("p", {}, el("button", { type: "button", onclick: () => this.onOriginal(block.index) }, "Show it in the page")));
    } catch (error) {
      cell.replaceChildren("It could not be explained.");
      this.onProblem(error);
    }
  }
}

function compared(a, b) {
  return typeof a === "string" ? a.localeCompare(b) : Number(a ?? -Infinity) - Number(b ?? -Infinity);
}
