// Elements made without markup: text is always text.

const ATTRIBUTES_OF_ARTICLE = { a: ["href"], img: ["src", "alt"], ol: ["start"], td: ["colspan", "rowspan"], th: ["colspan", "rowspan"] };
const ARTICLE = new Set(("a abbr b blockquote br caption cite code dd dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img li ol p pre q s " +
  "small span strong sub sup table tbody td tfoot th thead tr u ul").split(" "));
const policy = window.trustedTypes?.createPolicy("blockfeat", { createHTML: (text) => text });

/** Make an element: el("a", { href, class: "x", onclick: f }, "text", child). */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof made[key] === "boolean") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Scroll what is inside of frames and lists; the page around them stays where its reader is. */
export function inPlace(scroll) {
  const place = [scrollX, scrollY];
  scroll();
  scrollTo(...place);
}

/** A document that is not shown: nothing in it runs or loads. */
export const parsed = (html) => new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");

/** Build the body of a document of the API anew from an allow list; link(href) gives the address of each link. */
export function articleNodes(html, link) {
  const body = document.createDocumentFragment();
  const open = [[parsed(html).body, body]];
  while (open.length) {
    const [from, to] = open.pop();
    for (const node of from.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
      else if (node.nodeType === Node.ELEMENT_NODE && ARTICLE.has(node.localName)) {
        const made = document.createElement(node.localName);
        if (/^(ltr|rtl)$/.test(node.dir)) made.dir = node.dir;
        for (const name of ATTRIBUTES_OF_ARTICLE[node.localName] ?? []) copied(node, made, name, link);
        to.append(made);
        open.push([node, made]);
      }
    }
  }
  return body;
}

function copied(from, to, name, link) {
  const value = from.getAttribute(name);
  if (value === null) return;
  if (name === "href" && !/^(https?:|mailto:)/i.test(value)) return;
  if (name === "src" && !/^(https?:|data:image\/)/i.test(value)) return;
  to.setAttribute(name, name === "href" && /^https?:/i.test(value) ? link(value) : value);
}

/** A labelled select of [value, title] pairs. */
export function select(id, title, pairs, { value = "", onchange } = {}) {
  const made = el("select", { id, onchange }, ...pairs.map(([key, name]) => el("option", { value: key }, name)));
  made.value = value;
  return el("div", { class: "field" }, el("label", { for: id }, title), made);
}

export function checkbox(id, title, checked, onchange) {
  // Not only checked now, but after the form is reset, too.
  return el("label", { class: "check", for: id }, el("input", { type: "checkbox", id, defaultChecked: checked, onchange }), el("span", {}, title));
}

export const number = (value) => new Intl.NumberFormat("en").format(value);
export const percent = (share) => `${Math.round(100 * share)} %`;
export const signed = (value, digits = 2) => (value === null || value === undefined ? "–" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits));
export const plural = (count, one, many = one + "s") => `${number(count)} ${count === 1 ? one : many}`;
