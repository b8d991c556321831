// A coloured page in its frame: it runs nothing itself; this page handles its clicks and keys.

import { el, inPlace } from "./dom.js";

export class ColouredFrame {
  constructor(title, onChoose) {
    this.onChoose = onChoose;
    this.element = el("iframe", { class: "page", title, sandbox: "allow-same-origin", referrerpolicy: "no-referrer" });
    this.current = this.known = null;
    this.waiting = [];
    this.element.addEventListener("load", () => this.isReady());
  }

  /** Show what stands at an address; resolves once the blocks of what was asked for last are there. */
  show(address) {
    this.current = null;
    const before = this.document;
    clearInterval(this.looking);
    this.element.src = address;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.looking = setInterval(() => {
        if (this.document === before || !this.isReady()) return;
        clearInterval(this.looking);
        for (const each of this.waiting.splice(0)) each();
      }, 20);
    });
  }

  /** Whether what is shown can be used: before its load, which waits for images from the web, or clicks were lost. */
  isReady() {
    const page = this.document;
    if (!page?.body || page.readyState === "loading" || page.URL === "about:blank") return false;
    if (page !== this.known) {
      this.known = page;
      this.loaded();
    }
    return true;
  }

  get document() {
    return this.element.contentDocument;
  }

  loaded() {
    const page = this.document;
    // Reached by Tab, so that keys work in it; its links are not.
    page.body.tabIndex = 0;
    page.addEventListener("click", (event) => {
      // Links in the page lead nowhere.
      event.preventDefault();
      const block = Element.prototype.closest.call(event.target, "bf-block");
      if (block) this.onChoose(Number(block.getAttribute("data-block")), "click");
    });
    page.addEventListener("keydown", (event) => {
      const step = { j: 1, n: 1, k: -1, p: -1 }[event.key];
      if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.onChoose(this.next(step), "key");
      }
    });
  }

  parts(block) {
    return [...this.document.querySelectorAll(`bf-block[data-block="${Number(block)}"]`)];
  }

  /** The block before or behind the current one. */
  next(step, wanted = null) {
    const blocks = [...new Set([...this.document.querySelectorAll("bf-block")].filter((part) => part.getClientRects().length).map((part) => Number(part.getAttribute("data-block"))))].filter(wanted ?? (() => true));
    if (!blocks.length) return null;
    // The reading begins with the text, not with the menu.
    const kept = this.document.querySelector('bf-block[data-verdict="kept"]');
    if (this.current === null && step > 0 && kept && !wanted) return Number(kept.getAttribute("data-block"));
    if (this.current === null) return step > 0 ? blocks[0] : blocks.at(-1);
    const behind = step > 0 ? blocks.find((block) => block > this.current) : blocks.findLast((block) => block < this.current);
    return behind ?? (step > 0 ? blocks[0] : blocks.at(-1));
  }

  /** Mark a block as the current one and bring it into view. */
  mark(block, { scroll = true } = {}) {
    for (const part of this.document.querySelectorAll("bf-block[data-current]")) part.removeAttribute("data-current");
    this.current = block;
    const parts = this.parts(block);
    for (const part of parts) part.setAttribute("data-current", "");
    if (scroll && parts[0]) inPlace(() => parts[0].scrollIntoView({ block: "center" }));
  }

  /** Mark the blocks about which another model decides differently. */
  markDiffering(blocks) {
    const differing = new Set(blocks);
    for (const part of this.document.querySelectorAll("bf-block")) {
      part.toggleAttribute("data-differs", differing.has(Number(part.getAttribute("data-block"))));
    }
  }
}
