// What the bars are without, because it cannot be read: hatched, and told in one line above the list.

import { ask } from "./api.js";
import { fill, h, key } from "./dom.js";
import { nanos, sum, whole } from "./format.js";
import { hatch } from "./segments-draw.js";
import { change } from "./state.js";
import { json, plain } from "./text.js";

export const element = h("p.damage", { test: "damage", role: "alert", hidden: true });
let goTo = (/** @type {bigint} */ _time) => {};
let told = "";

/** @param {(time: bigint) => void} go called with a time to which the list goes */
export function start(go) {
  goTo = go;
}

/**
 * Queries aggregates by time steps, and skips damage.
 * @param {URLSearchParams} asked @param {AbortSignal} signal
 * @param {Map<string, any>} lost receives the skipped parts
 * @param {(row: any) => void} each
 */
export function figures(asked, signal, lost, each) {
  asked.set("damage", "skip");
  return ask("/v1/query", asked, signal, (line) => (line.ts || line.c0 !== undefined ? each(line) : line.damage ? lost.set(json(line), line) : null));
}

/** True when an answer ended at damage. @param {any} failure */
export function isDamage(failure) {
  return / corrupt at byte /.test(failure.message);
}

/** Says that figures are of what can be read, when they are. @param {any} head @param {string} of its element */
export function without(head, of) {
  return head["widerow.incomplete"] ? h(of, {}, "without what cannot be read") : null;
}

/** Which bars may lack events. @param {any} strip @returns {boolean[]} */
export function incomplete({ lost, first, step, bars }) {
  const spans = [...lost.values()].map((part) => [nanos(part.first), nanos(part.last)]);
  return bars.map((/** @type {any} */ _, /** @type {number} */ i) => {
    const begin = first + BigInt(i) * step;
    return spans.some(([from, to]) => to >= begin && from < begin + step);
  });
}

/**
 * Hatches the bars that may lack events, neighbours as one.
 * @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour
 * @param {boolean[]} bars @param {(first: number, last: number) => any} box where some of them lie
 */
export function draw(pen, colour, bars, box) {
  let first = 0;
  pen.globalAlpha = 0.5; // bars of what can be read lie on it, also red ones
  bars.forEach((is, i) => {
    first = bars[i - 1] ? first : i;
    if (is && !bars[i + 1]) {
      hatch(pen, box(first, i), colour);
    }
  });
  pen.globalAlpha = 1;
}

/** Names what the bars are without. @param {Map<string, any>} lost */
export function tell(lost) {
  const parts = [...lost.values()];
  const [one] = parts;
  element.hidden = !one;
  if (told === (told = [...lost.keys()].join()) || !one) {
    return;
  }
  const events = sum(parts, "events");
  const end = (/** @type {string} */ of) => parts.map((part) => part[of]).sort().at(of === "first" ? 0 : -1);
  const go = (/** @type {string} */ name, /** @type {bigint} */ time) => h("button.link", { onclick: () => goTo(time) }, name);
  fill(element,
    h("b", {}, `Damage: the hatched bars lack up to ${whole(events)} events. `),
    h("span", {}, plain(`${one.damage} cannot be read: ${one.partition ?? "unknown rows"}${parts.length > 1 ? ` and ${parts.length - 1} more` : ""}`)),
    go("events before", nanos(end("first"))), go("events after", nanos(end("last")) + 1n),
    h("button.link", { onclick: () => change({ view: "layout" }, true) }, "Layout ", key("l")));
}
