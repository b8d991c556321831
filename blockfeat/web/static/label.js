// The labelling page: one page at a time, its blocks in the frame and in a list, every action saved by the service at once.

import { get, post } from "./client.js";
import { byId, inPlace, percent, plural, select } from "./dom.js";
import { LabelFrame } from "./label_frame.js";
import { ROLE_KEYS, actionOf, isTaken, showHelp } from "./label_keys.js";
import { BlockList } from "./label_list.js";
import { TrainDialog } from "./label_train.js";

const LOOKS = [["page", "styles of the page"], ["plain", "no styles"], ["web", "styles and images of the web"]];
const WHILE_LOADING = new Set(["undo", "redo", "go", "train", "help", "view"]);
const VIEWS = ["both", "list", "page"];

const [RETRY, PATIENCE, NOT_SAVED] = [2000, 1000, "Not saved"];

function give(block, role) {
  Object.assign(block, { role: role ?? block.suggested, marked: role !== null });
}

class Labelling {
  constructor() {
    this.blocks = [];
    this.anchor = this.current = 0;
    this.painted = null;
    this.chain = Promise.resolve();
    // What the service has not confirmed, the oldest first; sent again until it has.
    this.unsaved = [];
    this.retry = null;
    this.loading = 0;
    const onClick = (block, extend) => this.clicked(block, extend);
    this.frame = new LabelFrame({ onClick, onKey: (event) => this.pressed(event) });
    this.list = new BlockList({ onClick });
    this.training = new TrainDialog({ onTrained: () => this.trained(), onProblem: (error) => this.problem(error) });
    this.looks = select("look", "Look", LOOKS, { value: "page", onchange: () => this.showFrame() });
    byId("frame-box").append(this.looks, this.frame.element);
    const buttons = { undo: ["undo"], redo: ["redo"], train: ["train"], help: ["help"], previous: ["go", -1], next: ["go", 1], skip: ["skip"], none: ["none"], bad: ["bad"], accept: ["accept"] };
    for (const [id, action] of Object.entries(buttons)) byId(id).addEventListener("click", () => this.act(...action));
    for (const [key, role] of Object.entries(ROLE_KEYS)) document.querySelector(`label.role[data-role="${role}"] kbd`).textContent = key;
    document.addEventListener("keydown", (event) => this.pressed(event));
    window.addEventListener("beforeunload", (event) => { if (this.unsaved.length) event.preventDefault(); });
    for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", () => byId("blocks").focus({ preventScroll: true }));
  }

  async start() {
    await this.refresh();
    byId("output").textContent = this.session.output;
    if (this.session.problems.length) this.problem(new Error(`${plural(this.session.problems.length, "input")} could not be read: ${this.session.problems.slice(0, 3).join("; ")}`));
    await this.open(this.session.next ?? this.session.pages[0].page);
    if (!this.session.next) this.say("All pages are labelled, skipped or bad.");
  }

  async refresh() {
    this.session = await get("label/session");
    this.showProgress(this.session);
  }

  // What is shown.

  async open(page, { at = null } = {}) {
    this.loading += 1;
    try {
      const found = await get(`label/page?page=${encodeURIComponent(page)}`);
      // The same page with the same blocks is painted anew, not loaded anew.
      const isShown = this.page?.page === page && this.blocks.length === found.blocks.length;
      this.page = found;
      this.blocks = found.blocks;
      for (const { page: of, blocks, role } of this.unsaved) if (of === found.page) for (const block of blocks) give(this.blocks[block], role);
      this.painted = null;
      byId("title").dataset.page = found.page;
      byId("title").textContent = found.title || found.url || found.page;
      byId("address").textContent = [found.url ?? found.page, found.lang, { done: "labelled", skipped: "skipped", bad: "bad page" }[found.state],
        `suggestions of ${found.model}, expected F1 ${found.confidence.toFixed(2)}`].filter(Boolean).join(" · ");
      byId("warning").hidden = !found.warning;
      byId("warning").textContent = found.warning ?? "";
      byId("problem").hidden = !this.unsaved.length;
      this.showProgress(found);
      if (isShown) this.repaint(at);
      else {
        this.list.show(this.blocks);
        await this.showFrame(at);
      }
    } finally {
      this.loading -= 1;
    }
  }

  async showFrame(at = this.current) {
    const look = this.looks.querySelector("select").value;
    await this.frame.show(`/label/frame?${new URLSearchParams({ page: this.page.page, look })}`);
    this.frame.paint(this.blocks);
    inPlace(() => this.choose(at ?? this.firstContent()));
  }

  repaint(at) {
    this.list.paint(this.blocks);
    this.frame.paint(this.blocks);
    this.choose(at ?? this.firstContent());
  }

  firstContent() {
    const first = this.blocks.findIndex((block) => block.role === "content" || block.role === "headline");
    return Math.max(first, 0);
  }

  showProgress({ progress, can_undo: canUndo, can_redo: canRedo }) {
    const dealt = progress.done + progress.skipped + progress.bad;
    Object.assign(byId("bar"), { max: Math.max(progress.pages, 1), value: dealt });
    const others = [progress.skipped && `${progress.skipped} skipped`, progress.bad && `${progress.bad} bad`].filter(Boolean);
    byId("counts").textContent = `${progress.done} of ${plural(progress.pages, "page")} labelled${others.length ? `, ${others.join(", ")}` : ""}, ${progress.left} left`;
    byId("undo").disabled = !canUndo;
    byId("redo").disabled = !canRedo;
    if (this.session) this.session.progress = progress;
  }

  say(text) {
    byId("status").textContent = text;
  }

  problem(error) {
    byId("problem").hidden = false;
    byId("problem").textContent = error.message;
  }

  // Keys and clicks.

  pressed(event) {
    if (event.defaultPrevented || isTaken(event) || document.querySelector("dialog[open]")) return;
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    this.act(...action);
  }

  act(name, argument) {
    // A key that was meant for the page before must not change the next one.
    if (this.loading && !WHILE_LOADING.has(name)) return;
    const actions = {
      move: () => this.move(argument), edge: () => this.choose(argument < 0 ? 0 : this.blocks.length - 1), border: () => this.border(argument),
      mark: () => this.mark(argument), accept: () => this.finish("accept", {}, "Accepted."), none: () => this.finish("no-content", {}, "No content."),
      skip: () => this.finish("set-aside", { state: "skipped" }, "Skipped."), bad: () => this.finish("set-aside", { state: "bad" }, "Bad page."),
      go: () => this.go(argument), undo: () => this.takeBack("undo"), redo: () => this.takeBack("redo"), help: showHelp, view: () => this.nextView(),
      train: () => this.enqueue(async () => { await this.save(); await this.refresh(); await this.training.open(this.session); }),
    };
    actions[name]();
  }

  /** One request after the other, in the order of the keys. */
  enqueue(work) {
    this.chain = this.chain.then(work).catch((error) => this.problem(error));
    return this.chain;
  }

  /** The same for work that ends on another page, perhaps: until then keys decide nothing. */
  enqueueLoading(work) {
    this.loading += 1;
    return this.enqueue(work).finally(() => { this.loading -= 1; });
  }

  choose(block, { anchor = block, scroll = true } = {}) {
    if (!this.blocks.length) return;
    this.current = Math.min(Math.max(block, 0), this.blocks.length - 1);
    this.anchor = Math.min(Math.max(anchor, 0), this.blocks.length - 1);
    const [first, last] = this.range();
    this.list.select(first, last, this.current, { scroll });
    this.frame.select(first, last, this.current, { scroll });
  }

  range() {
    return [Math.min(this.anchor, this.current), Math.max(this.anchor, this.current)];
  }

  move({ step, extend }) {
    this.choose(this.current + step, extend ? { anchor: this.anchor } : {});
  }

  border(step) {
    const is = (block) => this.blocks[block].role === "content";
    let block = this.current + step;
    while (block > 0 && block < this.blocks.length && is(block) === is(block - 1)) block += step;
    this.choose(block);
  }

  clicked(block, extend) {
    if (this.loading) return;
    byId("blocks").focus({ preventScroll: true });
    if (extend && this.painted) {
      this.choose(block, { anchor: this.painted.block, scroll: false });
      this.give(this.range(), this.painted.role);
      return;
    }
    const brush = document.querySelector("input[name=role]:checked").value;
    const role = this.blocks[block].role !== brush ? brush : brush === "clutter" ? "content" : "clutter";
    this.choose(block, { scroll: false });
    this.give([block, block], role);
    this.painted = { block, role };
  }

  mark(role) {
    const range = this.range();
    this.give(range, role);
    this.painted = role && { block: range[0], role };
    this.choose(range[1] + 1);
  }

  give([first, last], role) {
    const page = this.page.page;
    const chosen = this.blocks.slice(first, last + 1);
    this.unsaved.push({ page, blocks: chosen.map((block) => block.index), role });
    for (const block of chosen) give(block, role);
    this.list.paint(chosen);
    this.frame.paint(chosen);
    this.say(`${plural(chosen.length, "block")}: ${role ?? "as suggested"}`);
    this.enqueue(() => this.save());
    setTimeout(() => this.showUnsaved(), PATIENCE);
  }

  /** Show what the service has not taken yet as not saved, and what it has taken as saved. */
  showUnsaved() {
    const unsaved = new Set(this.unsaved.filter((mark) => mark.page === this.page.page).flatMap((mark) => mark.blocks));
    const changed = this.blocks.filter((block) => Boolean(block.unsaved) !== unsaved.has(block.index));
    for (const block of changed) block.unsaved = !block.unsaved;
    this.list.paint(changed);
  }

  /** Send what is not saved, in the order of the clicks; fail with the first that the service does not take now. */
  async save() {
    while (this.unsaved.length) {
      const mark = this.unsaved[0];
      try {
        this.showProgress(await post("label/mark", mark));
        this.unsaved.shift();
      } catch (error) {
        if (error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429) {
          // Refused for good: what is not saved must not look as if it were.
          this.unsaved.shift();
          if (this.page.page === mark.page) await this.open(mark.page, { at: this.current });
          throw error;
        }
        this.showUnsaved();
        this.retry ??= setTimeout(() => { this.retry = null; this.enqueue(() => this.save()); }, RETRY);
        throw new Error(`${NOT_SAVED}: ${plural(this.unsaved.length, "mark")}, sent again until the service has them (${error.message})`);
      }
      if (this.blocks.some((block) => block.unsaved)) this.showUnsaved();
      if (!this.unsaved.length && byId("problem").textContent.startsWith(NOT_SAVED)) byId("problem").hidden = true;
    }
  }

  // Pages.

  finish(path, body, said) {
    const page = this.page.page;
    this.enqueueLoading(async () => {
      await this.save();
      const found = await post(`label/${path}`, { page, ...body });
      this.showProgress(found);
      if (found.rules_for) said += ` Five pages of ${found.rules_for} are labelled: t learns the rules of its pages.`;
      this.say(found.page ? said : `${said} All pages are labelled, skipped or bad; train with t.`);
      await this.open(found.page ?? page);
    });
  }

  go(step) {
    this.enqueueLoading(async () => {
      await this.save();
      const found = await post("label/next", { page: this.page.page, step });
      if (found.page) await this.open(found.page);
      else this.say(step > 0 ? "This is the last page." : "This is the first page.");
    });
  }

  takeBack(which) {
    this.enqueueLoading(async () => {
      await this.save();
      const found = await post(`label/${which}`, {});
      if (found.page) await this.open(found.page, { at: found.page === this.page.page ? this.current : null });
      this.say(found.page ? (which === "undo" ? "Undone." : "Done again.") : `Nothing to ${which}.`);
    });
  }

  nextView() {
    const split = byId("split");
    const view = VIEWS[(VIEWS.indexOf(split.dataset.view ?? "both") + 1) % VIEWS.length];
    split.dataset.view = view;
    this.say({ both: "Page and list", list: "The list alone", page: "The page alone" }[view]);
    this.choose(this.current, { anchor: this.anchor });
  }

  trained() {
    return this.enqueue(async () => {
      await this.refresh();
      // The page before the labeller takes the new suggestions.
      await this.open(this.page.page, { at: this.current });
    });
  }
}

const labelling = new Labelling();
labelling.start().catch((error) => labelling.problem(error));
