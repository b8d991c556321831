// Two ways to extract the page side by side, with the blocks about which they differ.

import { blockDetails } from "./details.js";
import { el, inPlace, percent, plural, number } from "./dom.js";
import { ColouredFrame } from "./frame.js";
import { chosenModel, modelFields } from "./options.js";

export class CompareView {
  constructor(panel, models, onProblem) {
    this.onProblem = onProblem;
    const other = models.find((model) => model.name === "thresholds") ?? models.at(-1);
    this.second = modelFields("b", models, other.name, () => this.show());
    this.summary = el("p", { class: "summary", role: "status" });
    this.sides = ["first", "second"].map((name) => {
      const frame = new ColouredFrame(`The page by the ${name} model`, (block, by) => this.choose(name, block, by));
      return { name, frame, head: el("h2", {}), about: el("div", { class: "side", "aria-live": "polite", role: "region", "aria-label": `The chosen block of the ${name} model` }), differing: [] };
    });
    const step = (title, by) => el("button", { type: "button", onclick: () => this.step(by) }, title);
    panel.replaceChildren(
      el("fieldset", { class: "tools second" }, el("legend", {}, "The second model (the first is that of the options)"), ...this.second.fields),
      el("div", { class: "tools" }, this.summary, step("← Previous difference", -1), step("Next difference →", 1)),
      el("div", { class: "pair" }, ...this.sides.map((side) => el("section", { "aria-label": `The ${side.name} model` }, side.head, side.frame.element, side.about))));
    this.second.adapt();
  }

  async show(page = this.page, choices = this.choices) {
    [this.page, this.choices] = [page, choices];
    const ways = [choices, { ...choices, ...chosenModel("b") }];
    this.ways = ways;
    try {
      const found = await page.ask("compare", { first: ways[0], second: ways[1] });
      if (this.ways !== ways) return;
      const agreement = found.agreement === null ? "neither keeps anything" : `${percent(found.agreement)} of the words agree (F1)`;
      const count = found.first.differing.length + found.second.differing.length;
      this.summary.textContent = count ? `${agreement}; the two differ about ${plural(found.first.differing.length, "block")} of the first, ${number(found.second.differing.length)} of the second, underlined in violet.` : `${agreement}; the two decide alike about every block.`;
      await Promise.all(this.sides.map(async (side, place) => {
        const own = found[side.name];
        side.differing = own.differing;
        side.head.textContent = `${ways[place].model}: ${number(own.kept)} of ${plural(own.blocks, "block")}, ${plural(own.words_kept, "word")}`;
        side.about.replaceChildren();
        await side.frame.show(page.frame("coloured", { ...ways[place], look: "plain" }));
        if (this.ways === ways) side.frame.markDiffering(own.differing);
      }));
      if (this.ways === ways) this.step(1); // the first difference
    } catch (error) {
      this.onProblem(error);
    }
  }

  /** Go to the next difference on the side that has any, and to the same place on the other. */
  step(by) {
    const side = this.sides.find((each) => each.differing.length);
    if (!side) return;
    const differing = new Set(side.differing);
    this.choose(side.name, side.frame.next(by, (block) => differing.has(block)), "key");
  }

  async choose(name, block, by) {
    if (block === null) return;
    const place = name === "first" ? 0 : 1;
    const side = this.sides[place];
    side.frame.mark(block, { scroll: by !== "click" });
    this.follow(side, this.sides[1 - place]);
    try {
      const { blocks } = await this.page.ask("explain", { ...this.ways[place], blocks: [block] });
      if (side.frame.current === block && blocks.length) side.about.replaceChildren(blockDetails(blocks[0]));
    } catch (error) {
      this.onProblem(error);
    }
  }

  /** Scroll the other frame to the same text. */
  follow(from, to) {
    const text = from.frame.parts(from.frame.current)[0]?.textContent.trim();
    if (!text) return;
    const same = [...to.frame.document.querySelectorAll("bf-block")].find((part) => part.textContent.trim() === text);
    if (same) inPlace(() => same.scrollIntoView({ block: "center" }));
  }
}
