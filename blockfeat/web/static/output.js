// The output in every format, to copy and to download.

import { el, select } from "./dom.js";

export class OutputView {
  constructor(panel, formats, onStatus) {
    this.formats = formats;
    this.outputs = {};
    this.choice = select("format", "Format", formats.map((format) => [format.name, format.title]), { value: formats[0].name, onchange: () => this.fill() });
    this.text = el("textarea", { class: "output", readonly: true, id: "output-text", spellcheck: "false", rows: 24, "aria-label": "The output" });
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(this.text.value);
        onStatus("Copied.");
      } catch {
        this.text.select();
        onStatus(document.execCommand("copy") ? "Copied." : "It could not be copied; the text is selected.");
      }
    };
    this.link = el("a", { class: "button", id: "download" }, "Download");
    panel.replaceChildren(el("div", { class: "tools" }, this.choice, el("button", { type: "button", onclick: copy }, "Copy"), this.link), this.text);
  }

  show(outputs, name) {
    this.outputs = outputs;
    this.name = name;
    this.fill();
  }

  fill() {
    const format = this.formats.find((each) => each.name === this.choice.querySelector("select").value);
    const text = this.outputs[format.name] ?? "";
    this.text.value = format.name === "json" ? indented(text) : text;
    URL.revokeObjectURL(this.link.href);
    this.link.href = URL.createObjectURL(new Blob([text], { type: `application/octet-stream` }));
    this.link.download = `${this.name}.${format.suffix}`;
  }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
