// The keys of the labelling page: what each does, and the dialog that lists them.

import { byId, el } from "./dom.js";

export const ROLE_KEYS = { c: "content", h: "headline", b: "byline", p: "caption", x: "clutter" };

const HELP = [
  ["Blocks", [
    ["j or ↓, k or ↑", "next, previous block; with Shift: extend the range"],
    ["] and [", "go to where content begins or ends next, or did before"],
    ["Home, End", "first, last block"],
    ["c", "content: belongs to the main text"],
    ["h", "headline"],
    ["b", "byline: author, date, place"],
    ["p", "caption of a picture"],
    ["x", "clutter: navigation, teasers, advertisements, comments …"],
    ["u", "take your role away: the suggestion counts again"],
  ]],
  ["Page", [
    ["Enter or a", "accept: the page is done, suggestions count where you gave no role; go on to the next page"],
    ["n or →, N or ←", "next, previous page, nothing is decided"],
    ["s", "skip the page for now"],
    ["0", "the page has no content: all of it is clutter; done"],
    ["!", "bad page: broken or of no use; left out"],
    ["v", "show page and list, the list alone, or the page alone"],
  ]],
  ["Session", [
    ["z, y", "undo, redo, over all pages and after a restart too"],
    ["t", "train a model on the labelled pages"],
    ["?", "this list"],
  ]],
];

const MOUSE = "A click on a block gives it the role chosen above; a click on a block that has it makes it clutter (or content, " +
  "where clutter is chosen). Shift and click give all blocks from the last click to here what the last click gave.";

/** The action that a key stands for, as [name, argument]; null for none. */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey) {
    if (event.altKey) return null;
    const key = event.key.toLowerCase();
    return key === "z" ? [event.shiftKey ? "redo" : "undo"] : key === "y" ? ["redo"] : null;
  }
  if (event.altKey) return null;
  const key = event.key;
  const step = { j: 1, J: 1, ArrowDown: 1, k: -1, K: -1, ArrowUp: -1 }[key];
  if (step) return ["move", { step, extend: event.shiftKey }];
  if (ROLE_KEYS[key.toLowerCase()] && key.length === 1) return ["mark", ROLE_KEYS[key.toLowerCase()]];
  const simple = {
    u: ["mark", null], Enter: ["accept"], a: ["accept"], n: ["go", 1], ArrowRight: ["go", 1], N: ["go", -1], ArrowLeft: ["go", -1],
    s: ["skip"], 0: ["none"], "!": ["bad"], z: ["undo"], y: ["redo"], Z: ["redo"], t: ["train"], "?": ["help"], v: ["view"],
    "]": ["border", 1], "[": ["border", -1], Home: ["edge", -1], End: ["edge", 1],
  };
  return simple[key] ?? null;
}

/** Whether a key belongs to a field or a button that has the focus. */
export function isTaken(event) {
  const target = event.target;
  if (!target || !target.closest) return false;
  if (target.closest("dialog[open]")) return true;
  if (target.closest("textarea, select, input:not([type=radio])")) return true;
  if (target.closest("input[type=radio]")) return event.key.startsWith("Arrow") || event.key === " ";
  return (event.key === "Enter" || event.key === " ") && Boolean(target.closest("button, a, summary"));
}

export function showHelp() {
  const dialog = byId("help-dialog");
  dialog.replaceChildren(
    el("h2", { id: "help-title" }, "Keys"),
    el("div", { class: "keys" }, ...HELP.map(([title, rows]) =>
      el("section", {}, el("h3", {}, title), el("dl", {}, ...rows.flatMap(([keys, what]) => [el("dt", {}, ...keyNames(keys)), el("dd", {}, what)]))))),
    el("p", {}, MOUSE),
    el("form", { method: "dialog" }, el("button", { class: "primary" }, "Close")));
  dialog.showModal();
}

function keyNames(text) {
  return text.split(/( or |, | and )/).map((part) => (/^( or |, | and )$/.test(part) ? part : el("kbd", {}, part)));
}
