import * as event from "./event.js";
import * as follow from "./follow.js";
import { iso } from "./format.js";
import * as keys from "./keys.js";
import * as layout from "./layout.js";
import { openNewest, openOldest, openTime } from "./list.js";
import * as question from "./question.js";
import { range } from "./range.js";
import * as rows from "./rows.js";
import { change, state } from "./state.js";
import * as strip from "./strip.js";

function moveRange(/** @type {bigint} */ by, /** @type {bigint} */ wider = 0n) {
  change({ from: iso(range.from + by - wider), to: iso(range.to + by + wider), since: "", at: "" }, true);
}

/**
 * Binds the keys of the page.
 * @param {Record<string, any>} on what the frame does
 */
export function bind(on) {
  const { run, jump, step, context, leave, toggleFollow, tell } = on;
  const half = () => (range.to - range.from) / 2n;
  keys.start({
    "/": question.focus, Escape: leave, j: () => step(1), k: () => step(-1), J: () => step(rows.pageRows()), K: () => step(-rows.pageRows()),
    Enter: () => (state.view === "layout" ? layout.open() : void event.open().then(rows.layOut)),
    g: () => void run(openOldest), G: () => void run(openNewest), e: () => jump("error", true), E: () => jump("error", false),
    n: () => jump("find", true), N: () => jump("find", false), "[": () => moveRange(-half()), "]": () => moveRange(half()),
    "-": () => moveRange(0n, half()), "=": () => moveRange(0n, -half() / 2n), z: strip.zoom, m: rows.toggleMark,
    "'": () => { const at = rows.markedTime(); if (at !== null) { void run(() => openTime(at)); } },
    c: context, f: toggleFollow,
    Space: () => follow.hold(!follow.follow.held), w: () => change({ wrap: !state.wrap }),
    h: () => { range.said = strip.toggleHeat() ? "" : "no field of these events is a number"; tell(); },
    d: () => change({ view: "differences" }, true), l: () => change({ view: "layout" }, true), v: () => change({ view: "events" }, true),
    y: () => void event.copyLink(), Y: () => void event.copyJson(), u: () => history.back(),
    t: () => change({ tz: state.tz === "utc" ? "local" : "utc" }), "?": keys.toggle,
    b: () => change({ map: state.map === "bytes" ? "events" : "bytes" }), B: () => change({ map: state.map === "each" ? "events" : "each" }),
  });
}
