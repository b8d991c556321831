// The blocks as a list: for screen readers, and for pages that look bad without their styles.

import { byId, el, percent, plural } from "./dom.js";

const LONGEST = 220;

export class BlockList {
  constructor({ onClick }) {
    this.list = byId("blocks");
    this.items = [];
    this.list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) onClick(Number(item.dataset.block), event.shiftKey);
    });
    this.list.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
  }

  show(blocks) {
    this.items = blocks.map((block) => el("li", { role: "option", id: `block-${block.index}`, "data-block": block.index, "aria-selected": "false" },
      el("span", { class: "chip" }), el("span", { class: "text", dir: "auto" }, shortened(block)), el("span", { class: "about soft" }, about(block))));
    this.list.replaceChildren(...this.items);
    this.paint(blocks);
  }

  paint(blocks) {
    for (const block of blocks) {
      const item = this.items[block.index];
      item.dataset.role = block.role;
      item.toggleAttribute("data-marked", block.marked);
      item.classList.toggle("doubtful", !block.marked && Math.abs(block.chance - 0.5) < 0.3);
      item.toggleAttribute("data-unsaved", Boolean(block.unsaved));
      item.firstChild.textContent = (block.marked ? block.role : `${block.role}?`) + (block.unsaved ? " (not saved)" : "");
      item.firstChild.title = block.marked ? "labelled by you" : `suggested; content with a probability of ${percent(block.chance)}`;
      item.setAttribute("aria-label", `${block.role}${block.marked ? "" : ", suggested"}${block.unsaved ? ", not saved" : ""}: ${shortened(block)} (${about(block)})`);
    }
  }

  select(first, last, current, { scroll = true } = {}) {
    this.items.forEach((item, block) => {
      item.setAttribute("aria-selected", String(block >= first && block <= last));
      item.toggleAttribute("data-current", block === current);
    });
    const item = this.items[current];
    if (!item) return;
    this.list.setAttribute("aria-activedescendant", item.id);
    if (scroll) item.scrollIntoView({ block: "nearest" });
  }
}

function shortened(block) {
  return block.text.length > LONGEST ? `${block.text.slice(0, LONGEST)}…` : block.text || "(no text)";
}

function about(block) {
  const kind = block.kind.replace("_", " ") + (block.level ? ` ${block.level}` : "");
  return `${kind}, ${plural(block.words, "word")}`;
}
