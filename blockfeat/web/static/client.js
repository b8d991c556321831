// The API, with the page that is shown: sent once, named from then on, sent again where the service has dropped it.

export class Failure extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function answered(response) {
  const type = response.headers.get("content-type") ?? "";
  const body = type.includes("json") ? await response.json() : null;
  if (response.ok) return body;
  throw new Failure(response.status, body?.detail ?? `the service answered ${response.status}`, Number(response.headers.get("retry-after")) || 0);
}

async function sent(path, options) {
  try {
    return await answered(await fetch(`/api/v1/${path}`, { credentials: "omit", ...options }));
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(0, "the service cannot be reached; is it still running?");
    throw error;
  }
}

export const get = (path) => sent(path, {});
export const post = (path, body, signal) =>
  sent(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

/** A page that was given by address, as HTML or as a file. */
export class PageOnService {
  constructor(given) {
    this.given = given;
    this.kept = null;
  }

  async keep() {
    const { file, example, ...rest } = this.given;
    if (example) {
      this.kept = await post(`examples/${example}`, {});
    } else if (file) {
      const form = new FormData();
      form.append("file", file);
      this.kept = await sent("files", { method: "POST", body: form });
    } else {
      this.kept = await post("pages", rest);
    }
    return this.kept;
  }

  /** Ask for something about the page. */
  async ask(path, body, signal) {
    if (!this.kept) await this.keep();
    try {
      return await post(path, { ...body, page: this.kept.page }, signal);
    } catch (error) {
      if (error.status !== 404) throw error;
      await this.keep();
      return post(path, { ...body, page: this.kept.page }, signal);
    }
  }

  frame(kind, query) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    return `/frame/${encodeURIComponent(this.kept.page)}/${kind}?${new URLSearchParams(given)}`;
  }
}
