// How the article is read: size, width, type, colours, aloud, on paper. What was chosen is kept in this browser.

import { el, select } from "./dom.js";

const CHOICES = {
  size: ["Size", [["small", "small"], ["", "middle"], ["large", "large"], ["largest", "largest"]]],
  width: ["Width", [["narrow", "narrow"], ["", "middle"], ["wide", "wide"]]],
  font: ["Type", [["", "serif"], ["sans", "sans serif"]]],
  theme: ["Colours", [["", "as the system"], ["light", "light"], ["sepia", "sepia"], ["dark", "dark"]]],
};
const KEY = "blockfeat-reading";

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function keep(values) {
  try {
    localStorage.setItem(KEY, JSON.stringify(values));
  } catch {
    // A browser that keeps nothing reads all the same.
  }
}

/** The settings of the article in a panel, as a row of fields. */
export function readingSettings(panel, article) {
  const values = kept();
  const apply = () => {
    for (const name of Object.keys(CHOICES)) (name === "theme" ? panel : article).dataset[name] = values[name] ?? "";
  };
  const fields = Object.entries(CHOICES).map(([name, [title, pairs]]) =>
    select(`reading-${name}`, title, pairs, {
      value: values[name] ?? "",
      onchange: (event) => {
        values[name] = event.target.value;
        keep(values);
        apply();
      },
    }));
  apply();
  const print = el("button", { type: "button", onclick: () => window.print() }, "Print");
  return el("details", { class: "reading" }, el("summary", {}, "Reading settings"),
    el("div", { role: "group", "aria-label": "Reading settings" }, ...fields, aloud(article), print));
}

/** A button that reads the article aloud by the browser's own speech, and stops; none where the browser has none. */
function aloud(article) {
  if (!("speechSynthesis" in window)) return null;
  const button = el("button", { type: "button", "aria-pressed": "false" }, "Read aloud");
  const shown = (on) => {
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Stop" : "Read aloud";
  };
  button.addEventListener("click", () => {
    speechSynthesis.cancel();
    if (button.getAttribute("aria-pressed") === "true") return shown(false);
    const parts = [...article.querySelectorAll("h1, .article-body > *")].map((part) => part.innerText.trim()).filter(Boolean);
    parts.forEach((text, place) => {
      const said = new SpeechSynthesisUtterance(text);
      said.lang = article.lang || "en";
      if (place === parts.length - 1) said.onend = () => shown(false);
      speechSynthesis.speak(said);
    });
    shown(parts.length > 0);
  });
  window.addEventListener("pagehide", () => speechSynthesis.cancel(), { once: true });
  return button;
}
