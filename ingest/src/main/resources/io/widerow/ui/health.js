import { fill, h, whenSeen } from "./dom.js";
import { bytes, short } from "./format.js";
import { look, range } from "./range.js";

const AGAIN_MILLIS = 10_000;

export const element = h("span.health", { test: "health" });

/** Tells whether the daemon answers, and how much it has; again every ten seconds. */
export function start() {
  setInterval(() => document.hidden || void tell(), AGAIN_MILLIS);
  whenSeen(tell);
  void tell();
}

async function tell() {
  try {
    await look();
    const sum = (/** @type {string} */ of) => range.stored.reduce((all, type) => all + (type[of] ?? 0), 0);
    fill(element, h("i.ready"), "ready", h("span", {}, `${short(sum("events"))} events`), h("span", {}, bytes(sum("bytes"))));
  } catch {
    fill(element, h("i.away"), "away");
  }
}
