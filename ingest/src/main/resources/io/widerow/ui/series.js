// Series: an expression of PromQL over the range, as lines and as a table. Its URL has the expression.

import { all, latest } from "./api.js";
import { fill, h, key, shown } from "./dom.js";
import { SECOND, spanText, stepFor } from "./format.js";
import { label, make } from "./plot.js";
import { range } from "./range.js";
import { change, state } from "./state.js";
import { plain } from "./text.js";

const POINTS = 300; // of a line, as many as a screen tells apart
const ROWS_MAX = 500;
const METRICS_MAX = 400;
const input = /** @type {HTMLInputElement} */ (h("input", {
  test: "expr", spellcheck: "false", autocomplete: "off", "aria-label": "expression of PromQL",
  placeholder: "sum by (path) (rate(hits_total[5m]))",
}));
const said = h("p.quiet", { test: "series-said" });
const { plot, table, show, repaint: draw, lines } = make("series", "series", (canvas) => canvas.setAttribute("aria-label", label(lines().length, state.expr)));
export const element = h("main.series", { hidden: true },
  h("form.box", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); change({ expr: input.value.trim() }, true); } },
    "PromQL", input, h("button.strong", {}, "run ", key("Enter"))),
  said, plot, table);

/** Evaluates the expression of the URL; without one it lists metrics. */
export async function load() {
  input.value = state.expr;
  plot.hidden = !state.expr;
  if (!state.expr) {
    await metrics();
    return;
  }
  const wide = stepFor(range.to - range.from, POINTS);
  const step = wide < SECOND / 1000n ? SECOND / 1000n : wide;
  const first = (range.from / step + 1n) * step;
  const count = Number((range.to - 1n - first) / step) + 1;
  const asked = new URLSearchParams({
    query: state.expr, start: seconds(first), end: seconds(first + BigInt(Math.max(count - 1, 0)) * step),
    step: seconds(step), limit: String(ROWS_MAX),
  });
  const { lines: [answer], millis } = await all("/api/v1/query_range", asked, latest("series"));
  const place = (/** @type {number} */ time) => Math.round((time - Number(first) / 1e9) / (Number(step) / 1e9));
  show(answer.data.result.map((/** @type {any} */ each) => lineOf(each, count, place)), first, step);
  fill(said, `${lines().length} series, step ${spanText(step)}, ${Math.round(millis)} ms`,
    ...[...answer.warnings ?? [], ...answer.infos ?? []].map((text) => h("span.warned", {}, ` ${plain(text)}`)));
}

/** A time or a step as the API takes it. @param {bigint} nanos */
function seconds(nanos) {
  const millis = (nanos / 1_000_000n).toString().padStart(4, "0");
  return `${millis.slice(0, -3)}.${millis.slice(-3)}`;
}

/** @param {any} series @param {number} count @param {(time: number) => number} place */
function lineOf(series, count, place) {
  const values = new Float64Array(Math.max(count, 0)).fill(NaN);
  const numbers = series.values ?? (series.histograms ?? []).map((/** @type {any} */ [time, of]) => [time, of.count]);
  for (const [time, text] of numbers) {
    values[place(time)] = text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
  }
  return { name: nameOf(series.metric), values };
}

/** A series as a selector of it. @param {Record<string, string>} metric */
function nameOf(metric) {
  const labels = Object.entries(metric).filter(([name]) => name !== "__name__").map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${metric.__name__ ?? ""}${labels.length || !metric.__name__ ? `{${labels.join(", ")}}` : ""}`;
}

/** Draws the loaded data again. */
export function repaint() {
  draw();
}

/** The metrics of the range, each an expression. */
async function metrics() {
  const asked = new URLSearchParams({ start: seconds(range.from), end: seconds(range.to), limit: String(METRICS_MAX) });
  const { lines: [answer] } = await all("/api/v1/label/__name__/values", asked, latest("series"));
  fill(said, answer.data.length === 0 ? "No number in this range: metrics, and numbers in logs, are series." : "Metrics of the range:");
  fill(table, h("div.series-metrics", {}, ...answer.data.map((/** @type {string} */ name) =>
    h("button.link", { onclick: () => change({ expr: expression(name) }, true) }, ...shown(name)))));
}

/** A metric as an expression: counters as rates. @param {string} name */
function expression(name) {
  const bare = /^[a-zA-Z_:][\w:]*$/.test(name) ? name : `{${JSON.stringify(name)}}`;
  return /_(?:total|count|sum|bucket)$/.test(name) ? `rate(${bare}[5m])` : bare;
}

/** Lets the expression be written. */
export function focus() {
  input.focus();
  input.select();
}
