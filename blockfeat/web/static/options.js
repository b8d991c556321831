// The model and its options as a form, and what was chosen.

import { byId, checkbox, el, select } from "./dom.js";

const PARTS = [["headline", "Headline"], ["captions", "Captions"], ["tables", "Tables"], ["comments", "Readers' comments"]];
const RULES = [["", "as the model decides"], ["true", "apply"], ["false", "leave out"]];
const TITLES = {
  sequence: "weighs the features of a block and its neighbours", margin: "weighted thresholds", thresholds: "thresholds on eight features",
  tokens: "one stretch of the page", web2text: "after Web2Text",
};

/** Fields for a model, its decoder and what it favours; prefix keeps ids apart. */
export function modelFields(prefix, models, value, onchange) {
  const names = models.map((model) => [model.name, model.name]);
  const about = el("p", { class: "hint", id: `${prefix}-about` });
  const runs = el("div", { class: "field" }, el("label", { for: `${prefix}-runs` }, "Stretches to keep"),
    el("input", { type: "number", id: `${prefix}-runs`, min: 1, max: 1000, value: 1, onchange }));
  const fields = [
    select(`${prefix}-model`, "Model", names, { value, onchange: changed }),
    about,
    select(`${prefix}-decoder`, "Labels are chosen by", [["", "the model's own way"], ["conjunction", "each threshold"], ["mss", "best stretches"]], { onchange: changed }),
    runs,
    select(`${prefix}-favour`, "Favour", [["", "balanced"], ["precision", "less clutter"], ["recall", "less text lost"]], { onchange }),
  ];
  function changed(event) {
    adapt();
    onchange(event);
  }
  function adapt() {
    const model = models.find((each) => each.name === byId(`${prefix}-model`).value);
    const decoder = byId(`${prefix}-decoder`);
    about.textContent = `${TITLES[model.kind] ?? model.kind}; decides by ${model.decoding}`;
    decoder.disabled = !model.has_decoders;
    decoder.parentElement.hidden = !model.has_decoders;
    if (!model.has_decoders) decoder.value = "";
    runs.hidden = decoder.value !== "mss";
  }
  return { fields, adapt };
}

export function chosenModel(prefix) {
  const decoder = byId(`${prefix}-decoder`).value;
  const runs = byId(`${prefix}-runs`);
  return {
    model: byId(`${prefix}-model`).value,
    decoder: decoder || null,
    runs: decoder === "mss" && runs.checkValidity() && runs.value ? Number(runs.value) : null,
    favour: byId(`${prefix}-favour`).value || null,
  };
}

/** Fill the form of options; onchange is called when anything of it changes. */
export function setUpOptions(form, models, value, onchange) {
  const model = modelFields("a", models, value, onchange);
  const parts = PARTS.map(([name, title]) =>
    select(`part-${name}`, title, [["", "as the model decides"], ["true", "keep"], ["false", "leave out"]], { onchange }));
  form.append(...model.fields, el("details", { class: "more-options" }, el("summary", {}, "More options"), el("div", {},
    el("fieldset", {}, el("legend", {}, "Parts of the text"), ...parts),
    el("div", { class: "field" }, el("label", { for: "lang" }, "Language"),
      el("input", { type: "text", id: "lang", maxlength: 35, placeholder: "identified", autocapitalize: "off", spellcheck: "false", onchange })),
    select("rules", "Rules for banners and the like", RULES, { onchange }),
    checkbox("normalise", "Normalise letters (NFC)", true, onchange),
    checkbox("images", "Show images, loaded from their sites", false, onchange),
    checkbox("links", "Write links in Markdown", false, onchange)
  )),
    el("button", { type: "reset", onclick: () => setTimeout(() => { byId("a-model").value = "default"; model.adapt(); onchange(); }) }, "Back to the defaults"),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("a-model").value = value;
  model.adapt();
}

/** What was chosen, as the API takes it. */
export function chosen() {
  const decided = (id) => ({ true: true, false: false }[byId(id).value] ?? null);
  const parts = PARTS.map(([name]) => [name, decided(`part-${name}`)]);
  return { ...chosenModel("a"), ...Object.fromEntries(parts), rules: decided("rules"), lang: byId("lang").value.trim() || null, normalise: byId("normalise").checked };
}

export const chosenOutput = () => ({ links: byId("links").checked, images: byId("images").checked });
