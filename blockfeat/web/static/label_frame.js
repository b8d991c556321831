// The page that is labelled, in its frame: coloured by role, clicks and keys handed on.

import { ColouredFrame } from "./frame.js";

export class LabelFrame extends ColouredFrame {
  constructor({ onClick, onKey }) {
    super("The page, its blocks coloured by role", () => {});
    Object.assign(this, { onClick, onKey });
  }

  loaded() {
    const page = this.document;
    this.byBlock = new Map();
    for (const part of page.querySelectorAll("bf-block")) {
      const block = Number(part.getAttribute("data-block"));
      if (!this.byBlock.has(block)) this.byBlock.set(block, []);
      this.byBlock.get(block).push(part);
    }
    page.addEventListener("click", (event) => {
      // Links in the page lead nowhere.
      event.preventDefault();
      const block = Element.prototype.closest.call(event.target, "bf-block");
      if (block) this.onClick(Number(block.getAttribute("data-block")), event.shiftKey);
    });
    // Shift and click would select text.
    page.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    page.addEventListener("keydown", this.onKey);
  }

  parts(block) {
    return this.byBlock?.get(block) ?? [];
  }

  paint(blocks) {
    for (const block of blocks) {
      for (const part of this.parts(block.index)) {
        part.setAttribute("data-verdict", block.role);
        part.toggleAttribute("data-marked", block.marked);
      }
    }
  }

  select(first, last, current, { scroll = true } = {}) {
    for (const part of this.document?.querySelectorAll("bf-block[data-current], bf-block[data-selected]") ?? []) {
      part.removeAttribute("data-current");
      part.removeAttribute("data-selected");
    }
    for (let block = first; block <= last; block += 1) for (const part of this.parts(block)) part.setAttribute("data-selected", "");
    for (const part of this.parts(current)) part.setAttribute("data-current", "");
    const [part] = this.parts(current);
    if (scroll && part) part.scrollIntoView({ block: "nearest" });
    if (scroll && part) this.keepInSight(part);
  }

  /** Leave some room around the current block. */
  keepInSight(part) {
    const { top, bottom } = part.getBoundingClientRect();
    const height = this.element.clientHeight;
    if (top < 60 || bottom > height - 60) part.scrollIntoView({ block: bottom - top > height - 120 ? "start" : "center" });
  }
}
