// The original page with its blocks coloured; the chosen block beside it, in words.

import { blockDetails } from "./details.js";
import { el, select } from "./dom.js";
import { ColouredFrame } from "./frame.js";

export const LOOKS = [["plain", "none: text and structure only"], ["page", "what stands in the page"], ["web", "all, loaded from the web"]];

export class OriginalView {
  constructor(panel, onProblem) {
    this.onProblem = onProblem;
    this.frame = new ColouredFrame("The original page, its blocks coloured", (block, by) => this.choose(block, by));
    this.side = el("div", { class: "side", role: "region", "aria-label": "The chosen block", "aria-live": "polite", tabindex: "0" },
      el("p", { class: "hint" }, "Choose a block: click on it, or use the buttons above (in the page: keys j and k)."));
    this.looks = select("look", "Styles and images", LOOKS, { value: "page", onchange: () => this.show() });
    const step = (title, by, wanted) => el("button", { type: "button", onclick: () => this.choose(this.frame.next(by, wanted), "key") }, title);
    panel.replaceChildren(
      el("div", { class: "tools" },
        el("ul", { class: "legend" }, el("li", {}, el("span", { class: "swatch kept" }), "kept"), el("li", {}, el("span", { class: "swatch dropped" }), "dropped"),
          el("li", {}, el("span", { class: "swatch beside" }), "headline, byline: shown above the text")),
        step("← Previous block", -1), step("Next block →", 1), this.looks),
      el("div", { class: "split" }, this.frame.element, this.side));
  }

  /** Show a page extracted with some choices. */
  async show(page = this.page, choices = this.choices) {
    [this.page, this.choices] = [page, choices];
    const before = this.frame.current;
    this.shown = this.frame.show(page.frame("coloured", { ...choices, look: this.looks.querySelector("select").value }));
    await this.shown;
    const block = this.frame.current ?? before;
    if (block !== null && this.frame.parts(block).length) await this.choose(block, "switch");
  }

  async choose(block, by) {
    if (block === null) return;
    this.frame.mark(block, { scroll: by !== "click" });
    try {
      const { blocks } = await this.page.ask("explain", { ...this.choices, blocks: [block] });
      if (this.frame.current === block && blocks.length) this.side.replaceChildren(blockDetails(blocks[0]));
    } catch (error) {
      this.onProblem(error);
    }
  }
}
