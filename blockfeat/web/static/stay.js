// Forms that change something are sent without leaving the page; their new state takes their place. Without scripts the browser sends them.

import { el, parsed } from "./dom.js";

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
  if (!answer) throw new Error("the service cannot be reached; is it still running?");
  if (answer.status === 401) return location.reload(); // to where one logs in
  if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.detail ?? `the service answered ${answer.status}`);
  const page = parsed(await answer.text());
  if (!form.id) {
    // Not loaded anew: what is clicked meanwhile would be lost.
    document.querySelector("main").replaceWith(page.querySelector("main"));
    return document.getElementById(button.id)?.focus({ preventScroll: true });
  }
  const now = page.getElementById(form.id);
  if (!now) {
    // What is decided is none of these any more, and stays in sight until the page is loaded anew.
    for (const each of form.querySelectorAll("button")) each.removeAttribute("aria-pressed");
    button.setAttribute("aria-pressed", "true");
    form.inert = false;
    return;
  }
  form.replaceWith(now);
  now.querySelector(`button[value="${button.value}"]`)?.focus({ preventScroll: true });
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  // A second click must not send what the first has changed already.
  if (form.inert) return;
  form.inert = true;
  try {
    await send(form, event.submitter);
  } catch (error) {
    form.inert = false;
    form.querySelector(".problem")?.remove();
    form.append(el("p", { class: "problem", role: "alert" }, error.message));
  }
});
