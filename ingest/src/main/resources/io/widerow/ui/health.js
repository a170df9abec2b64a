import { fill, h, whenSeen } from "./dom.js";
import { bytes, short, sum } from "./format.js";
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
    fill(element, h("i.ready"), "ready", h("span", {}, `${short(sum(range.stored, "events"))} events`), h("span", {}, bytes(sum(range.stored, "bytes"))));
  } catch {
    fill(element, h("i.away"), "away");
  }
}
