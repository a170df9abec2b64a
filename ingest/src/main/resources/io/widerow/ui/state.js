// All that the page shows is in its URL. The question has the parameters of /v1/query, so that
// `/ui/?x` and `/v1/query?x` are the same question.

import { listed, packed } from "./text.js";

/** The state of the page, as in the URL. */
export const state = {
  types: /** @type {string[]} */ ([]), where: "", from: "", to: "", since: "", shard: "",
  view: "events", at: "", pick: "", pickwhere: "", cols: /** @type {string[]} */ ([]), widths: "",
  find: "", heat: "", tail: false, tz: "utc", wrap: false, map: "events", expr: "",
  stats: "", by: "", limit: "", rate: false, trace: "", ansi: "",
};

/** The views, the first shown first. */
export const VIEWS = ["events", "aggregates", "differences", "layout", "series", "trace"];

/** A query for aggregates is shown as one. @param {{stats: string}} of */
function viewOf(of) {
  return of.stats ? "aggregates" : "events";
}

/** The parameters that make a question. */
export const QUESTION = ["types", "where", "from", "to", "since", "shard"];

/** @type {((changed: Set<string>) => void)[]} */
const listeners = [];

/** Calls a function after each change, with the names of what changed. */
export function onChange(/** @type {(changed: Set<string>) => void} */ listener) {
  listeners.push(listener);
}

/** What the query of a URL says. @param {string} query */
export function read(query) {
  const given = new URLSearchParams(query);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  const view = text("view");
  return {
    types: given.getAll("type").filter((type) => type), where: text("where"), from: text("from"),
    to: text("to"), since: text("since"), shard: text("shard"),
    view: VIEWS.includes(view) ? view : viewOf({ stats: text("stats") }), at: text("at"),
    pick: text("pick"), pickwhere: text("pickwhere"),
    cols: listed(text("cols")), widths: text("widths"), find: text("find"), heat: text("heat"),
    tail: text("tail") === "1", tz: text("tz") === "local" ? "local" : "utc",
    wrap: text("wrap") === "1", map: text("map") || "events", expr: text("expr"),
    stats: text("stats"), by: text("by"), limit: text("limit"), rate: text("rate") === "1",
    trace: text("trace"), ansi: text("ansi"),
  };
}

/** The URL of a state. @param {typeof state} of */
export function address(of) {
  const to = new URLSearchParams();
  of.types.forEach((type) => to.append("type", type));
  for (const name of ["where", "from", "to", "since", "shard", "at", "pick", "pickwhere", "find", "heat", "widths", "expr", "stats", "by", "limit", "trace", "ansi"]) {
    if (of[name]) {
      to.set(name, of[name]);
    }
  }
  if (of.view !== viewOf(of)) {
    to.set("view", of.view);
  }
  if (of.cols.length > 0) {
    to.set("cols", packed(of.cols));
  }
  if (of.tz !== "utc") {
    to.set("tz", of.tz);
  }
  for (const name of ["tail", "wrap", "rate"]) {
    if (of[name]) {
      to.set(name, "1");
    }
  }
  if (of.map !== "events") {
    to.set("map", of.map);
  }
  const text = to.toString();
  return location.pathname + (text ? `?${text}` : "");
}

/** @param {Partial<typeof state>} next */
function apply(next) {
  const changed = new Set(
    Object.keys(next).filter((name) => String(next[name]) !== String(state[name])));
  Object.assign(state, next);
  return changed;
}

/**
 * Changes the state and the URL.
 * @param {Partial<typeof state>} next
 * @param {boolean} [push] whether the back button returns to the state before
 */
export function change(next, push = false) {
  const changed = apply(next);
  if (changed.size > 0) {
    const method = push ? "pushState" : "replaceState";
    history[method](null, "", address(state));
    listeners.forEach((listener) => listener(changed));
  }
}

addEventListener("popstate", () => {
  const changed = apply(read(location.search));
  if (changed.size > 0) {
    listeners.forEach((listener) => listener(changed));
  }
});

Object.assign(state, read(location.search));
