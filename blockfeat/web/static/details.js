// What is known of one block, in words.

import { el, number, signed } from "./dom.js";

function row(feature, most) {
  const moved = feature.contribution;
  const cells = [el("th", { scope: "row" }, feature.says ?? feature.title, feature.says && el("small", {}, feature.title)), el("td", { class: "value", title: feature.unit }, feature.written)];
  if (moved !== null) {
    const bar = el("span", { class: `move ${moved < 0 ? "down" : "up"}`, "aria-hidden": "true" });
    bar.style.width = `${Math.round((100 * Math.abs(moved)) / most)}%`;
    cells.push(el("td", { class: "moved" }, signed(moved), bar));
  } else {
    cells.push(el("td", {}, feature.threshold ?? ""), el("td", { class: "mark" }, feature.failed ? "✗ failed" : "✓ holds"));
  }
  return el("tr", { class: feature.failed ? "failed" : null }, ...cells);
}

function table(features) {
  const moves = features.some((feature) => feature.contribution !== null);
  const most = Math.max(...features.map((feature) => Math.abs(feature.contribution ?? 0)), 1e-9);
  const heads = moves ? ["Feature", "Value", "Moved the score by"] : ["Feature", "Value", "Threshold", "Result"];
  return el("div", { class: "scroll" }, el("table", { class: "features" },
    el("caption", {}, moves ? "The features that moved the score most" : "Features and thresholds"),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...features.map((feature) => row(feature, most)))));
}

export function verdict(block) {
  return el("span", { class: `verdict ${block.kept ? "kept" : "dropped"}` }, block.kept ? "✓ kept" : "✗ dropped");
}

/** The details of a block as an element. */
export function blockDetails(block) {
  const kind = block.kind.replaceAll("_", " ") + (block.level ? ` ${block.level}` : "");
  const reason = block.reason.replace(/^(kept|dropped): /, "");
  return el("div", { class: "details" },
    el("h3", {}, `Block ${block.index} `, verdict(block)),
    el("p", { class: "reason" }, reason[0]?.toUpperCase() + reason.slice(1), "."),
    el("dl", {},
      ...[["Score", signed(block.score)], ["Words", number(block.words)], ["Kind", kind], ["Role", block.role], ["Links", number(block.links)]]
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("blockquote", { dir: "auto" }, block.text.length > 400 ? `${block.text.slice(0, 400)}…` : block.text),
    block.features.length ? table(block.features) : el("p", { class: "hint" }, "This model looks at no features of single blocks."),
    el("p", { class: "hint" }, "At ", el("code", {}, block.xpath), ". A score above 0 favours content."));
}
