// The article as a comfortable page.

import { articleNodes, el } from "./dom.js";
import { readingSettings } from "./reading.js";

const NOTICES = { "no content": "No main text was found on this page.", empty: "The page has no text." };

function readAddress(href, images) {
  return `/read?url=${encodeURIComponent(href)}${images ? "&images=true" : ""}`;
}

/** The day as the page says it: midnight there is the day before in zones to the west. */
function shownDate(text) {
  const date = new Date(`${text.slice(0, 10)}T12:00:00`);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}

function byline(meta) {
  const parts = [];
  if (meta.authors?.length) parts.push(el("span", { class: "authors" }, meta.authors.join(", ")));
  if (meta.published) parts.push(el("time", { datetime: meta.published }, shownDate(meta.published)));
  return parts.length ? el("p", { class: "byline" }, ...parts) : null;
}

export function showArticle(panel, { record, outputs }, images) {
  const meta = record.metadata ?? {};
  const headline = meta.headline ?? record.headline ?? record.title;
  const body = el("div", { class: "article-body" }, articleNodes(outputs.html, (href) => readAddress(href, images)));
  // The headline stands above already.
  const first = body.querySelector("h1, h2");
  if (first && headline && first.textContent.trim() === headline.trim() && first === body.firstElementChild) first.remove();
  const web = record.url && /^https?:/i.test(record.url);
  const article = el("article", { class: "article", lang: record.lang, dir: / dir="rtl">/.test(outputs.html.slice(0, 200)) ? "rtl" : "ltr" },
      el("header", {},
        meta.site && el("p", { class: "site", dir: "auto" }, meta.site),
        el("h1", {}, headline || "Page without a title"),
        byline(meta)),
      NOTICES[record.status] && el("p", { class: "notice" }, NOTICES[record.status]),
      ...record.warnings.map((warning) => el("p", { class: "notice" }, warning)),
      body,
      web && el("footer", { class: "article-foot" },
        el("a", { href: readAddress(record.url, images) }, "On a page of its own"), " · ",
        el("a", { href: record.url, rel: "noopener noreferrer" }, "At its own address")));
  panel.replaceChildren(readingSettings(panel, article), article);
}
