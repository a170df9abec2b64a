import * as event from "./event.js";
import * as facets from "./facets.js";
import * as follow from "./follow.js";
import { iso } from "./format.js";
import * as keys from "./keys.js";
import { list, openNewest, openOldest, openTime } from "./list.js";
import * as question from "./question.js";
import { range } from "./range.js";
import * as rows from "./rows.js";
import { change, state } from "./state.js";
import * as strip from "./strip.js";

function moveRange(/** @type {bigint} */ by, /** @type {bigint} */ wider = 0n) {
  change({ from: iso(range.from + by - wider), to: iso(range.to + by + wider), since: "", at: "" }, true);
}

/**
 * Binds the keys of the page. This list is also what `?` shows.
 * @param {Record<string, any>} on what the frame does
 */
export function bind(on) {
  const { run, jump, step, context, leave, toggleFollow, tell, goTo, shown } = on;
  const half = () => (range.to - range.from) / 2n;
  const end = (/** @type {() => Promise<void>} */ open, /** @type {number} */ at) => () => void run(async () => {
    await open();
    const item = list.items.at(at);
    await (item ? goTo(item.key) : null);
  });
  const view = (/** @type {string} */ name) => () => change({ view: name }, true);
  const map = (/** @type {string} */ by) => () => change({ map: state.map === by ? "events" : by });
  keys.start([
    ["/", "filter, or expression", () => (shown()?.focus ?? question.focus)()], ["Esc", "leave or close", leave],
    ["Enter", "open the event, or the events of the wide row", () => void (shown()?.open ?? (() => event.open().then(rows.layOut)))()],
    ["j k", "next and previous event", () => step(1), () => step(-1)],
    ["J K", "next and previous page", () => step(rows.pageRows()), () => step(-rows.pageRows())],
    ["g G", "first and last", end(openOldest, 0), end(openNewest, -1)],
    ["e E", "next and previous error", () => jump("error", true), () => jump("error", false)],
    ["n N", "next and previous match of the search", () => jump("find", true), () => jump("find", false)],
    ["[ ]", "half a range earlier or later", () => moveRange(-half()), () => moveRange(half())],
    ["- =", "wider or closer", () => moveRange(0n, half()), () => moveRange(0n, -half() / 2n)],
    ["z", "zoom into the choice", strip.zoom],
    ["m '", "mark an event, go back to it", rows.toggleMark,
      () => { const at = rows.markedTime(); if (at !== null) { void run(() => openTime(at)); } }],
    ["c", "context: the events around it", context], ["f", "follow what comes", toggleFollow],
    ["Space", "hold, go on", () => follow.hold(!follow.follow.held)],
    ["F", "find a field", () => { if (facets.element.offsetWidth === 0) { question.showFields(true); } facets.focus(); }],
    ["w", "wrap lines", () => change({ wrap: !state.wrap })],
    ["h", "volume as a heat map of a number", () => { range.said = strip.toggleHeat() ? "" : "no field of these events is a number"; tell(); }],
    ["v a d l s", "events, aggregates, differences, layout, series", ...["events", "aggregates", "differences", "layout", "series"].map(view)],
    ["y Y", "copy link, copy JSON", () => void event.copyLink(), () => void event.copyJson()],
    ["u", "undo", () => history.back()], ["t", "UTC or local time", () => change({ tz: state.tz === "utc" ? "local" : "utc" })],
    ["b B", "map by bytes, by bytes an event", map("bytes"), map("each")], ["?", "these keys", keys.toggle],
  ]);
}
