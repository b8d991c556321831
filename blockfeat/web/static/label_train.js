// Training from the page: the choice of the kind, the learning curve as it grows, and the result.

import { get, post } from "./client.js";
import { byId, el, plural, select } from "./dom.js";

const KINDS = {
  best: "the better of both on held-out pages", thresholds: "thresholds: eight numbers, trained in seconds",
  rules: "rules for each site with five labelled pages, on top of the model that suggests",
  margin: "margin: 24 features of blocks and their surroundings",
};
const PAUSE = 400;
const SVG = "http://www.w3.org/2000/svg";
const f1 = (value) => value.toFixed(3);

export class TrainDialog {
  constructor({ onTrained, onProblem }) {
    Object.assign(this, { onTrained, onProblem, running: false });
    this.dialog = byId("train-dialog");
  }

  /** Open the dialog. */
  async open(session) {
    this.session = session;
    const enough = this.enough = !session.training_lacks && session.progress.done >= session.fewest_pages;
    this.kind = select("kind", "Kind of model", session.kinds.map((kind) => [kind, KINDS[kind] ?? kind]), { value: session.kinds[0] });
    this.start = el("button", { type: "button", class: "primary", id: "start-training", disabled: !enough, onclick: () => this.train() }, "Train");
    this.stop = el("button", { type: "button", hidden: true, onclick: () => post("label/train/stop", {}).catch(this.onProblem) }, "Stop");
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "Training", hidden: true });
    this.output = el("div", { class: "training", role: "status", "aria-live": "polite" });
    const hint = session.training_lacks || (enough
      ? `On ${plural(session.progress.done, "labelled page")}. Each is held out once, so the curve shows how good the model is on pages that it has not seen.`
      : `Training needs ${session.fewest_pages} labelled pages with content; there are ${session.progress.done} labelled pages.`);
    this.dialog.replaceChildren(
      el("h2", { id: "train-title" }, "Train a model"), el("p", {}, hint), el("div", { class: "line" }, this.kind, this.start, this.stop), this.bar, this.output,
      el("form", { method: "dialog", class: "close" }, el("button", {}, "Close")));
    this.dialog.showModal();
    try {
      this.show(await get("label/training"));
    } catch (error) {
      this.onProblem(error);
    }
  }

  async train() {
    try {
      this.show(await post("label/train", { kind: this.kind.querySelector("select").value }));
    } catch (error) {
      this.output.replaceChildren(el("p", { class: "problem" }, error.message));
    }
  }

  show(state) {
    const running = state.phase === "running";
    this.start.disabled = running || !this.enough;
    this.stop.hidden = this.bar.hidden = !running;
    if (running) {
      if (state.total) Object.assign(this.bar, { max: state.total, value: state.done });
      else this.bar.removeAttribute("value");
    }
    this.output.replaceChildren(...this.parts(state));
    if (running && !this.running) this.follow();
    if (!running && this.running) this.onTrained(state);
    this.running = running;
  }

  async follow() {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    try {
      const state = await get("label/training");
      this.show(state);
      if (state.phase === "running") this.follow();
    } catch (error) {
      this.running = false;
      this.onProblem(error);
    }
  }

  parts(state) {
    const found = [];
    if (state.error && state.phase !== "none") found.push(el("p", { class: "problem" }, state.error));
    if (state.phase === "running") found.push(el("p", { class: "soft" }, `Trying ${state.kind}: ${state.done} of ${state.total || "…"} fits`));
    if (state.points.length && state.kind !== "rules") found.push(curve(state.points, state.result?.others ?? {}));
    if (state.result) found.push(...outcome(state, this.session.model));
    return found;
  }
}

function outcome({ result, is_used: isUsed, model_file: file }, before) {
  const rows = [[`trained on your labels (${result.kind})`, result.f1], ...Object.entries(result.others)].sort((a, b) => b[1] - a[1]);
  const sites = result.held_out === "other sites" ? "whole sites held out" : "pages held out, of the same sites";
  const skipped = listed("page", result.skipped, false, " not trained on");
  return [
    el("table", { class: "scores" },
      el("caption", {}, `Mean word F1 over ${plural(result.pages, "labelled page")} (${sites}), after ${result.seconds} seconds`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "model"), el("th", { scope: "col", class: "number" }, "word F1"))),
      el("tbody", {}, ...rows.map(([name, score]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, f1(score)))))),
    el("p", { class: "soft" }, "Blocks that you accepted as suggested favour the model that suggested them."),
    el("p", {}, isUsed ? "The suggestions come from the trained model now, and the pages are in a new order."
      : "The suggestions stay with the model of the start, which is better on these pages; more labelled pages may change that."),
    isUsed ? el("p", {}, "Extract with it: ", el("code", {}, `blockfeat extract --model ${file} PAGE.html`))
      : el("p", {}, "Extract with ", el("code", {}, before), "; the trained model is in ", el("code", {}, file), " all the same."),
    ...listed("rule", result.rules, true),
    ...listed("page", Object.entries(result.changes).map(([page, [gone, come]]) => `${page}: ${plural(gone, "word")} less, ${come} more`), false, " would change"),
    ...skipped,
  ];
}

/** A list that opens at a click; nothing where it is empty. */
function listed(what, items, open, more = "") {
  return items.length ? [el("details", { open }, el("summary", {}, plural(items.length, what) + more), el("ul", {}, ...items.map((item) => el("li", {}, item))))] : [];
}

/** The learning curve as a drawing, with the other models as level lines, and as a table for those who cannot see it. */
function curve(points, others) {
  const [width, height, left, bottom, top, right] = [560, 210, 52, 40, 12, 190];
  const values = [...points.map((point) => point.f1), ...Object.values(others)];
  const low = Math.max(0, Math.floor((Math.min(...values) - 0.02) * 20) / 20);
  const most = Math.max(...points.map((point) => point.pages));
  const x = (pages) => left + (pages / most) * (width - left - right);
  const y = (score) => top + (1 - (score - low) / (1 - low)) * (height - top - bottom);
  const step = 1 - low > 0.5 ? 0.2 : 1 - low > 0.2 ? 0.1 : 0.05;
  const ticks = Array.from({ length: Math.round((1 - low) / step) + 1 }, (_, number) => 1 - number * step).filter((tick) => tick >= low - 1e-9);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "curve", "aria-label": described(points, others) },
    ...ticks.flatMap((tick) => [
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2))]),
    ...points.map((point) => svg("text", { x: x(point.pages), y: height - bottom + 18, "text-anchor": "middle" }, String(Math.round(point.pages)))),
    svg("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "training pages"),
    ...levels(others, y).flatMap(([name, score, at]) => [
      svg("line", { class: "other", x1: left, x2: width - right, y1: y(score), y2: y(score) }),
      svg("text", { x: width - right + 6, y: at + 4 }, `${name} ${f1(score)}`)]),
    svg("polyline", { class: "own", points: points.map((point) => `${x(point.pages)},${y(point.f1)}`).join(" ") }),
    ...points.map((point) => svg("circle", { class: "own", cx: x(point.pages), cy: y(point.f1), r: 4 })));
  return el("figure", {}, drawn, el("figcaption", { class: "soft" }, described(points, others)));
}

/** The names of the level lines, moved apart where they would overlap. */
function levels(others, y) {
  let last = -Infinity;
  return Object.entries(others).sort((a, b) => b[1] - a[1]).map(([name, score]) => {
    last = Math.max(y(score), last + 14);
    return [name, score, last];
  });
}

function described(points, others) {
  const own = points.map((point) => `${f1(point.f1)} after ${Math.round(point.pages)}`).join(", ");
  const beside = Object.entries(others).map(([name, score]) => `${name} ${f1(score)}`).join(", ");
  return `Mean word F1 on held-out pages: ${own} training pages${beside ? `; beside it ${beside}` : ""}.`;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
