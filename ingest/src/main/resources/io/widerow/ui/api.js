// Questions to the daemon. Answers are JSON lines, taken as they come. The token is in memory, or in
// the storage of this tab when its reader says so; never in a URL.

import { parsed } from "./text.js";

const TOKEN = "widerow-token";
let token = sessionStorage.getItem(TOKEN) ?? "";

/** Called when the daemon wants a token, with why; resolves when there is another. */
let wanted = async (/** @type {string} */ _why) => {};
let accepted = () => {};
let pending = /** @type {Promise<void> | null} */ (null);

/** @param {(why: string) => Promise<void>} ask @param {() => void} done when a token was right */
export function whenTokenIsWanted(ask, done) {
  wanted = ask;
  accepted = done;
}

/** Questions that need a token at the same time ask for one together. @param {string} why */
function anotherToken(why) {
  pending ??= wanted(why).finally(() => {
    pending = null;
  });
  return pending;
}

/** @param {string} text @param {boolean} keep whether this tab may store it */
export function setToken(text, keep) {
  token = text;
  if (keep) {
    sessionStorage.setItem(TOKEN, text);
  } else {
    sessionStorage.removeItem(TOKEN);
  }
}

/** A request that was refused, or got no response. */
export class Refused extends Error {
  /**
   * @param {string} why
   * @param {number} status 0 when the daemon is unreachable
   * @param {string} [first] the position at which the remaining events begin
   */
  constructor(why, status, first = "") {
    super(why);
    this.status = status;
    this.first = first;
  }
}

/** @type {Map<string, AbortController>} */
const running = new Map();

/** The signal of a new question of a kind; ends the one before. @param {string} kind */
export function latest(kind) {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  return controller.signal;
}

/** True for the end of a question that a newer one replaced. @param {unknown} failure */
export function isOld(failure) {
  return failure instanceof DOMException && failure.name === "AbortError";
}

/**
 * Asks for JSON lines.
 * @param {string} path such as `/v1/query`
 * @param {URLSearchParams} params
 * @param {AbortSignal | undefined} signal
 * @param {(line: any) => void} each
 * @returns {Promise<{millis: number, arrived: string | null}>}
 */
export async function ask(path, params, signal, each) {
  const begun = performance.now();
  const response = await send(path, params, signal);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split("\n");
    rest = done ? "" : lines.pop() ?? "";
    for (const line of lines) {
      if (line) {
        take(parsed(line), each);
      }
    }
    if (done) {
      return { millis: performance.now() - begun, arrived: response.headers.get("widerow-arrived") };
    }
  }
}

/** @param {any} line @param {(line: any) => void} each */
function take(line, each) {
  if (typeof line.error === "string" && line.ts === undefined && Object.keys(line).length === 1) {
    throw new Refused(line.error, 200);
  }
  each(line);
}

/** @param {string} path @param {URLSearchParams} params @param {AbortSignal} [signal] @param {string} [method] */
async function send(path, params, signal, method = "GET") {
  for (;;) {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const text = params.toString();
    const sent = token;
    let response;
    try {
      response = await fetch(text ? `${path}?${text}` : path, { method, headers, signal, cache: "no-store" });
    } catch (failure) {
      throw isOld(failure) ? failure : new Refused("the daemon does not answer", 0);
    }
    if (response.ok) {
      accepted();
      return response;
    }
    const refused = refusal(await response.text(), response.status);
    if (response.status !== 401 && !(response.status === 403 && sent)) {
      throw refused;
    }
    if (token === sent) { // else there is another one meanwhile
      await anotherToken(sent ? refused.message : "");
    }
  }
}

/** @param {string} text of the answer @param {number} status */
function refusal(text, status) {
  try {
    const said = JSON.parse(text);
    return new Refused(said.error ?? text, status, said.first);
  } catch {
    return new Refused(text || `the answer is ${status}`, status);
  }
}

/** True when the daemon was given a token: the browser's own requests have none. */
export function hasToken() {
  return token !== "";
}

/** An answer as a whole. @param {string} path @param {URLSearchParams} params */
export async function blob(path, params) {
  return (await send(path, params)).blob();
}

/** Changes something in the store. @param {"PUT" | "DELETE"} method @param {string} path @param {URLSearchParams} params */
export async function write(method, path, params) {
  await (await send(path, params, undefined, method)).text();
}

/** All lines of an answer. @param {string} path @param {URLSearchParams} params @param {AbortSignal} [signal] */
export async function all(path, params, signal) {
  /** @type {any[]} */
  const lines = [];
  const told = await ask(path, params, signal, (line) => lines.push(line));
  return { lines, ...told };
}
