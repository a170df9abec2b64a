// Series: an expression of PromQL over the range, as lines and as a table. Its URL has the expression.

import { all, latest } from "./api.js";
import { fill, h, key, perFrame, shown, whenDrawnAnew } from "./dom.js";
import { SECOND, clock, dayText, iso, spanText, stepFor } from "./format.js";
import { LINES, at, draw } from "./series-draw.js";
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
const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { test: "series", role: "img" }));
const tip = h("div.map-tip", { hidden: true, "data-decor": "" });
const plot = h("div.series-plot", {}, canvas, tip);
const table = h("div.series-table", { test: "series-table" });
export const element = h("main.series", { hidden: true },
  h("form.box", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); change({ expr: input.value.trim() }, true); } },
    "PromQL", input, h("button.strong", {}, "run ", key("Enter"))),
  said, plot, table);

const view = {
  lines: /** @type {any[]} */ ([]), first: 0n, step: SECOND, count: 0, chosen: "",
};

whenDrawnAnew(plot, perFrame(repaint));
canvas.addEventListener("pointermove", hint);
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("click", (event) => choose(at(canvas, view, event.offsetX, event.offsetY)?.line.name ?? ""));

/** Evaluates the expression of the URL; without one it lists metrics. */
export async function load() {
  input.value = state.expr;
  plot.hidden = !state.expr;
  if (!state.expr) {
    await metrics();
    return;
  }
  const step = stepFor(range.to - range.from, POINTS);
  view.step = step < SECOND / 1000n ? SECOND / 1000n : step;
  view.first = (range.from / view.step + 1n) * view.step;
  view.count = Number((range.to - 1n - view.first) / view.step) + 1;
  const asked = new URLSearchParams({
    query: state.expr, start: seconds(view.first), end: seconds(view.first + BigInt(Math.max(view.count - 1, 0)) * view.step),
    step: seconds(view.step), limit: String(ROWS_MAX),
  });
  const { lines: [answer], millis } = await all("/api/v1/query_range", asked, latest("series"));
  view.lines = answer.data.result.map(lineOf);
  view.chosen = view.lines.some((line) => line.name === view.chosen) ? view.chosen : "";
  fill(said, `${view.lines.length} series, step ${spanText(view.step)}, ${Math.round(millis)} ms`,
    ...[...answer.warnings ?? [], ...answer.infos ?? []].map((text) => h("span.warned", {}, ` ${plain(text)}`)));
  rows();
  repaint();
}

/** A time or a step as the API takes it. @param {bigint} nanos */
function seconds(nanos) {
  const millis = (nanos / 1_000_000n).toString().padStart(4, "0");
  return `${millis.slice(0, -3)}.${millis.slice(-3)}`;
}

/** @param {any} series @param {number} index */
function lineOf(series, index) {
  const values = new Float64Array(view.count).fill(NaN);
  const numbers = series.values ?? (series.histograms ?? []).map((/** @type {any} */ [time, of]) => [time, of.count]);
  for (const [time, text] of numbers) {
    const place = Math.round((time - Number(view.first) / 1e9) / (Number(view.step) / 1e9));
    values[place] = text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
  }
  const there = values.filter((value) => Number.isFinite(value));
  return {
    index, name: nameOf(series.metric), values, last: values.findLast((value) => !Number.isNaN(value)) ?? NaN,
    least: there.length ? Math.min(...there) : NaN, most: there.length ? Math.max(...there) : NaN,
    mean: there.length ? there.reduce((sum, value) => sum + value, 0) / there.length : NaN,
  };
}

/** A series as a selector of it. @param {Record<string, string>} metric */
function nameOf(metric) {
  const labels = Object.entries(metric).filter(([name]) => name !== "__name__").map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${metric.__name__ ?? ""}${labels.length || !metric.__name__ ? `{${labels.join(", ")}}` : ""}`;
}

/** A number in few digits. @param {number} number */
export function figure(number) {
  const size = Math.abs(number);
  return Number.isNaN(number) ? "–" : size !== 0 && Number.isFinite(number) && (size >= 1e9 || size < 1e-4) ? number.toExponential(3) : String(Number(number.toPrecision(6)));
}

function rows() {
  const sorted = view.lines.toSorted((a, b) => (Number.isNaN(b.last) ? 0 : b.last) - (Number.isNaN(a.last) ? 0 : a.last));
  fill(table, h("table", {},
    h("thead", {}, h("tr", {}, ...["series", "last", "min", "mean", "max"].map((name) => h("th", {}, name)))),
    h("tbody", {}, ...sorted.map((line) => h("tr", { "aria-selected": String(line.name === view.chosen) },
      h("td", {}, h("button.series-name", { onclick: () => choose(line.name) }, h(`i.swatch.line-${line.index % LINES}`), ...shown(line.name))),
      ...[line.last, line.least, line.mean, line.most].map((number) => h("td.number", {}, figure(number))))))));
}

/** Emphasizes a series, or none. @param {string} name */
function choose(name) {
  view.chosen = name === view.chosen ? "" : name;
  rows();
  repaint();
}

/** Draws the loaded data again. */
export function repaint() {
  if (element.hidden || plot.hidden) {
    return;
  }
  draw(canvas, view);
  Object.assign(canvas.dataset, { series: view.lines.length, step: Number(view.step) / 1e6, points: view.lines.reduce((sum, line) => sum + line.values.filter((/** @type {number} */ value) => !Number.isNaN(value)).length, 0), chosen: plain(view.chosen) });
  canvas.setAttribute("aria-label", `${view.lines.length} series of ${plain(state.expr)}, ${iso(range.from)} to ${iso(range.to)}`);
}

/** Tells the point under the pointer. @param {PointerEvent} event */
function hint(event) {
  const found = at(canvas, view, event.offsetX, event.offsetY);
  tip.hidden = !found;
  if (found) {
    const time = view.first + BigInt(found.place) * view.step;
    fill(tip, h(`i.swatch.line-${found.line.index % LINES}`), h("b", {}, figure(found.line.values[found.place])), " ", ...shown(found.line.name),
      h("span.quiet", {}, ` ${dayText(time)} ${clock(time).time}`));
    Object.assign(tip.style, { left: `${Math.max(0, Math.min(event.offsetX + 12, plot.clientWidth - 330))}px`, top: `${event.offsetY + 18}px` });
  }
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
