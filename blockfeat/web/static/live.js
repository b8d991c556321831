// The live page: keys for the stream, and a button where mentions have come since. Without scripts all else works.
const stream = document.querySelector(".stream");
const fresh = document.querySelector("#new");
const articles = [...document.querySelectorAll(".article")];
const SECONDS = 30;
const VERDICTS = { y: "right", n: "wrong sense" };

function current() {
  return articles.indexOf(document.activeElement?.closest(".article"));
}

function go(step) {
  const at = current();
  const next = articles[at < 0 ? (step > 0 ? 0 : articles.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "o" && current() >= 0) articles[current()].querySelector(".evidence").click();
  else if (event.key in VERDICTS) {
    if (current() < 0) go(1);
    const undecided = `.verdicts:not([inert], :has([aria-pressed])) [value="${VERDICTS[event.key]}"]`;
    const open = articles[current()]?.querySelectorAll(undecided) ?? [];
    open[0]?.click();
    if (open.length === 1 && "unsure" in stream.dataset) go(1);
  } else if (event.key === "/") {
    event.preventDefault();
    document.querySelector("#q").focus();
  }
});

async function look() {
  if (document.hidden) return;
  const after = `after=${stream.dataset.newest}`;
  const answer = await fetch(`/api/v1/new?${[stream.dataset.query, after].filter(Boolean).join("&")}`).catch(() => null);
  if (!answer?.ok) return;
  const count = (await answer.json()).new;
  fresh.hidden = count === 0;
  fresh.textContent = count === 1 ? "1 new mention" : `${count.toLocaleString()} new mentions`;
}

if (!("old" in stream.dataset)) setInterval(look, SECONDS * 1000);
