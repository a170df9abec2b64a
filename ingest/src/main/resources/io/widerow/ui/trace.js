// One trace: its spans as bars over time, the logs between them, all in the order of the store.

import { ask, latest } from "./api.js";
import { fill, h, shown } from "./dom.js";
import { iso, sinceText, whole } from "./format.js";
import { classOf } from "./levels.js";
import { indexOf, item, list } from "./list.js";
import { params, quoted, range } from "./range.js";
import { change, state } from "./state.js";
import { plain, valueText } from "./text.js";

const AROUND = 3_600_000_000_000n; // before and after the range
const EVENTS_MAX = 2000;
const FAILED = 2; // status_code of a span
const input = /** @type {HTMLInputElement} */ (h("input", { test: "trace-id", spellcheck: "false", autocomplete: "off", "aria-label": "trace", placeholder: "trace_id" }));
const said = h("p.quiet", { test: "trace-said" });
const table = h("div.trace", { tabindex: "0", role: "region", "aria-label": "events of the trace" });
export const element = h("main.series.traces", { hidden: true, "aria-label": "trace" },
  h("form.box", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); change({ trace: input.value.trim() }, true); } },
    "trace", input, h("button.strong", {}, "Show")),
  said, table);

/** @typedef {import("./list.js").Item & {span: boolean, end: bigint, depth: number}} Part */

/** Asks for the events of the trace, wherever they are near the range. */
export async function load() {
  input.value = state.trace;
  fill(table);
  fill(said, state.trace ? "" : "An event with a trace_id leads here.");
  if (!state.trace) {
    return;
  }
  const here = list.items[indexOf(state.at)]?.time ?? range.from;
  const least = here < range.from ? here : range.from;
  const most = here > range.to ? here : range.to;
  /** @type {Part[]} */
  const parts = [];
  await ask("/v1/query", params({ limit: EVENTS_MAX, level: 1 }, {
    where: `trace_id = ${quoted(state.trace)}`, types: [], shard: "", from: least - AROUND, to: most + AROUND,
  }), latest("trace"), (line) => {
    if (line.id) {
      const one = item(line);
      const span = one.event.duration !== undefined && one.event.span_id !== undefined;
      parts.push({ ...one, span, end: one.time + (span ? BigInt(one.event.duration) : 0n), depth: 0 });
    }
  });
  nest(parts);
  show(parts);
}

/** How deep each part is: below the span that it names. @param {Part[]} parts */
function nest(parts) {
  const spans = new Map(parts.filter((part) => part.span).map((part) => [part.event.span_id, part]));
  for (const part of parts) {
    const seen = new Set([part]);
    let above = spans.get(part.span ? part.event.parent_span_id : part.event.span_id);
    for (; above && !seen.has(above); above = spans.get(above.event.parent_span_id)) {
      seen.add(above);
    }
    part.depth = seen.size - 1;
  }
}

/** @param {Part[]} parts */
function show(parts) {
  if (parts.length === 0) {
    fill(said, `No event has this trace_id from ${iso(range.from - AROUND)} to ${iso(range.to + AROUND)}.`);
    return;
  }
  const begin = parts[0].time;
  const end = parts.reduce((last, part) => (part.end > last ? part.end : last), begin);
  const spans = parts.filter((part) => part.span).length;
  fill(said, `${whole(spans)} spans and ${whole(parts.length - spans)} logs in ${sinceText(end - begin).replace(/^[+=]/, "") || "no time"}`,
    parts.length === EVENTS_MAX ? h("span.warned", {}, ` only the first ${whole(EVENTS_MAX)} events`) : null);
  fill(table, h("table", {},
    h("thead", {}, h("tr", {}, ...["since start", "type", "span or log", "duration", "time"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...parts.map((part) => row(part, begin, end)))));
}

/** @param {Part} part @param {bigint} begin @param {bigint} end */
function row(part, begin, end) {
  const { event, level, span, depth, key } = part;
  const of = classOf(Number(event.status_code) === FAILED && span ? "error" : level);
  const share = (/** @type {bigint} */ time) => Number(time - begin) / (Number(end - begin) || 1) * 100;
  const bar = h(`i.trace-${span ? "span" : "log"}.${of}`);
  bar.style.insetInlineStart = `${share(part.time)}%`;
  bar.style.width = span ? `${share(part.end) - share(part.time)}%` : "";
  const name = h("button.trace-name", { test: "trace-event", "data-id": event.id, "data-kind": span ? "span" : "log", title: plain(key), onclick: () => change({ at: key, view: "events" }, true) },
    of === "error" ? h("em.failed", {}, "error ") : null, ...shown(valueText(event.body ?? event.span_id ?? "").split("\n")[0].slice(0, 300)));
  name.style.paddingInlineStart = `${Math.min(depth, 20) * 14}px`;
  return h(`tr.${of}`, {}, h("td.number", {}, part.time === begin ? "0" : sinceText(part.time - begin)), h("td.quiet", {}, ...shown(event.type)),
    h("td", {}, name),
    h("td.number", {}, span ? sinceText(part.end - part.time).replace(/^[+=]/, "") || "0" : ""), h("td.trace-lane", {}, bar));
}

/** Lets another trace be written. */
export function focus() {
  input.focus();
  input.select();
}
