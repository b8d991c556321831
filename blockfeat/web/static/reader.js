// The reader: takes a page, asks the API, and fills the views.

import { showArticle } from "./article.js";
import { BlocksView } from "./blocks.js";
import { CleanedView } from "./cleaned.js";
import { get, PageOnService } from "./client.js";
import { CompareView } from "./compare.js";
import { byId, el, number, percent, plural } from "./dom.js";
import { chosen, chosenOutput, setUpOptions } from "./options.js";
import { OriginalView } from "./original.js";
import { OutputView } from "./output.js";
import { setUpTabs } from "./tabs.js";

const WAITED = 250;
const TABS = ["article", "original", "blocks", "output", "cleaned", "compare"];
const QUALITY = [[0.9, "high"], [0.75, "fair"], [0, "doubtful: look at the original"]];

class Reader {
  constructor(models, options) {
    this.page = null;
    this.tab = "article";
    // What each view shows already, so that only the one that is looked at is filled.
    this.filled = new Set();
    this.turn = 0;
    const onProblem = (error) => this.problem(error);
    const names = models.models;
    setUpOptions(byId("options"), names, new URLSearchParams(location.search).get("model") ?? models.default, () => this.changed());
    this.original = new OriginalView(byId("panel-original"), onProblem);
    this.blocks = new BlocksView(byId("panel-blocks"), { onProblem, onOriginal: (block) => this.showInPage(block) });
    this.output = new OutputView(byId("panel-output"), options.formats, (text) => this.say(text));
    this.cleaned = new CleanedView(byId("panel-cleaned"), options.clean, onProblem);
    this.compare = new CompareView(byId("panel-compare"), names, onProblem);
    this.formats = options.formats.map((format) => format.name);
    this.tabs = setUpTabs(document.querySelector("[role=tablist]"), (name) => this.show(name));
  }

  say(text) {
    byId("status").textContent = text;
  }

  problem(error) {
    if (error?.name === "AbortError") return;
    const place = byId("problem");
    place.hidden = !error;
    place.textContent = error ? error.message : "";
    if (error) this.say("");
  }

  async read(given) {
    this.problem(null);
    this.say("Reading…");
    document.body.setAttribute("aria-busy", "true");
    const page = new PageOnService(given);
    this.page = page;
    try {
      await page.keep();
      if (this.page !== page) return;
      await this.refresh();
      if (byId("result").getBoundingClientRect().top > innerHeight / 2) byId("status").scrollIntoView();
      this.address();
    } catch (error) {
      if (this.page === page) this.problem(error);
    } finally {
      document.body.removeAttribute("aria-busy");
    }
  }

  /** Let the address of the window lead to what is shown: page, model and view. */
  address() {
    const { url, html } = this.page?.given ?? {};
    const query = new URLSearchParams(url && !html ? { url } : {});
    if (url && !html && this.choices && this.choices.model !== "default") query.set("model", this.choices.model);
    if (url && !html && this.tab !== "article") query.set("view", this.tab);
    history.replaceState(null, "", query.size ? `/?${query}` : "/");
    document.title = this.extracted ? `${this.extracted.record.title ?? "A page"} – blockfeat reader` : "blockfeat reader";
  }

  changed() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.page?.kept && this.refresh().catch((error) => this.problem(error)), WAITED);
  }

  /** Extract the page with what is chosen, and fill what is looked at. */
  async refresh() {
    const turn = ++this.turn;
    this.problem(null);
    const [choices, output] = [chosen(), chosenOutput()];
    const [extracted, explained] = await Promise.all([
      this.page.ask("extract", { ...choices, ...output, formats: this.formats }),
      this.page.ask("explain", { ...choices, features: false }),
    ]);
    if (turn !== this.turn) return;
    Object.assign(this, { choices, output_options: output, extracted, explained });
    this.filled.clear();
    byId("result").hidden = false;
    document.body.classList.add("has-page");
    this.showFacts();
    this.show(this.tab);
  }

  showFacts() {
    const { record, blocks } = { record: this.extracted.record, blocks: this.explained.blocks };
    const kept = blocks.filter((block) => block.kept);
    const words = (some) => some.reduce((sum, block) => sum + block.words, 0);
    const all = words(blocks);
    const language = record.lang ? new Intl.DisplayNames("en", { type: "language", fallback: "code" }).of(record.lang) : "unknown";
    const quality = record.confidence === null ? null : QUALITY.find(([least]) => record.confidence >= least)[1];
    const facts = [
      ["Kind", record.kind], ["Language", language], ["Likely quality", quality],
      ["Words kept", all ? `${number(words(kept))} of ${number(all)} (${percent(words(kept) / all)})` : "none"],
      ["File", this.page.kept.name],
    ];
    byId("facts").replaceChildren(el("dl", {}, ...facts.filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
    this.say(`${plural(kept.length, "block")} of ${number(blocks.length)} kept by ${record.model}.`);
  }

  show(name) {
    this.tab = name;
    if (this.extracted) this.address();
    if (!this.page?.kept || this.filled.has(name) || !this.extracted) return;
    this.filled.add(name);
    const { page, choices } = this;
    const fill = {
      article: () => showArticle(byId("panel-article"), this.extracted, this.output_options.images),
      original: () => this.original.show(page, choices),
      blocks: () => this.blocks.show(page, choices, this.explained.blocks),
      output: () => this.output.show(this.extracted.outputs, fileName(this.extracted.record)),
      cleaned: () => this.cleaned.show(page),
      compare: () => this.compare.show(page, choices),
    }[name];
    Promise.resolve(fill()).catch((error) => this.problem(error));
  }

  async showInPage(block) {
    this.tabs.show("original");
    await this.original.shown;
    await this.original.choose(block, "key");
    byId("tab-original").focus();
  }
}

function fileName(record) {
  const words = (record.title ?? "page").normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return words.slice(0, 60) || "page";
}

function setUpIntake(reader) {
  const kinds = ["address", "html", "file"];
  for (const choice of document.querySelectorAll("[name=intake]")) {
    choice.addEventListener("change", () => kinds.forEach((kind) => (byId(`intake-${kind}`).hidden = kind !== choice.value)));
  }
  const on = (kind, given) => byId(`intake-${kind}`).addEventListener("submit", (event) => {
    event.preventDefault();
    reader.read(given());
  });
  on("address", () => ({ url: byId("address").value.trim() }));
  on("html", () => ({ html: byId("html").value, url: byId("html-address").value.trim() || null }));
  on("file", () => ({ file: byId("file").files[0] }));
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => reader.read({ example: button.dataset.example }));
  }
  const place = document.querySelector(".intake");
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.toggle("over", name === "dragover");
      const file = name === "drop" && event.dataTransfer.files[0];
      if (file) reader.read({ file });
    });
  }
}

async function start() {
  // A phone has the options folded.
  if (matchMedia("(max-width: 60rem)").matches) byId("options-details").open = false;
  const [models, options] = await Promise.all([get("models"), get("options")]);
  const reader = new Reader(models, options);
  setUpIntake(reader);
  document.body.setAttribute("data-ready", "");
  const query = new URLSearchParams(location.search);
  const url = query.get("url");
  if (url) {
    byId("address").value = url;
    await reader.read({ url });
    if (TABS.includes(query.get("view"))) reader.tabs.show(query.get("view"));
  }
}

start().catch((error) => {
  byId("problem").hidden = false;
  byId("problem").textContent = error.message;
});
