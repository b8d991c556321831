// Runs in each page before its own scripts, and tells what the page offers to be used and what of it is used.
//
// A control is named by its place in the page and by what tells it from those beside it. Numbers are left out, so that the
// rows of a table have the same button; texts of links and of rows come from pages and name nothing. Keys count where a page
// names them.
(() => {
  if (window !== window.top) return;
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const KEYS = { "↓": "ArrowDown", "↑": "ArrowUp", "→": "ArrowRight", "←": "ArrowLeft" };
  const plain = (text) => text.replace(/[0-9]+/g, "#").replace(/\s+/g, " ").trim();

  function step(each) {
    const classes = [...each.classList].sort().map((name) => `.${name}`);
    return each.localName + (each.id ? `#${plain(each.id)}` : "") + classes.join("");
  }

  function own(each) {
    const found = [["name", each.getAttribute("name")], ["rel", each.getAttribute("rel")]];
    if (each.localName === "button" || each.type === "radio") found.push(["value", each.getAttribute("value")]);
    const isWorded = each.localName === "a" ? each.closest("nav") : /^(button|summary)$/.test(each.localName) && !each.closest("td, .choose");
    if (isWorded && !each.value) found.push(["text", plain(each.textContent).slice(0, 40)]);
    return found.filter(([, value]) => value).map(([name, value]) => `[${name}=${value}]`).join("");
  }

  function nameOf(each) {
    if (each.localName === "kbd") return `key ${KEYS[each.textContent] ?? each.textContent}`;
    const steps = [];
    // What a page brings along is used if one link of it is.
    for (let at = each.closest(".article-body") ?? each; at && at.localName !== "body" && at.id !== "main"; at = at.parentElement) steps.unshift(step(at));
    return steps.join(" > ") + own(each);
  }

  const place = plain(location.pathname);
  const tell = (kind, names) => names.length && window.tellControls(kind, names.map((name) => `${place}: ${name}`));
  const known = new Set();

  function look() {
    if (document.readyState === "loading") return; // the text of a button may still be on its way
    const shown = [...document.querySelectorAll(`${CONTROLS}, kbd:not(:empty)`)].filter((each) => !each.disabled && each.checkVisibility());
    const names = [...new Set(shown.map(nameOf))].filter((name) => !known.has(name));
    names.forEach((name) => known.add(name));
    tell("seen", names);
  }

  function used(event) {
    look();
    const control = event.target.closest?.(CONTROLS);
    if (control) tell("used", [nameOf(control)]);
  }

  for (const kind of ["click", "change", "input"]) addEventListener(kind, used, true);
  addEventListener("keydown", (event) => {
    look();
    if (!event.target.closest?.("input:not([type=radio]), select, textarea")) tell("used", [`key ${event.key}`]);
  }, true);
  addEventListener("load", look);
  let isDue = false;
  new MutationObserver(() => {
    if (!isDue) setTimeout(() => { isDue = false; look(); }, 100);
    isDue = true;
  }).observe(document, { subtree: true, childList: true, attributes: true });
})();
