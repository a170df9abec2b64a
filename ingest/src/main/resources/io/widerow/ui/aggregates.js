// Aggregates of the query over time: as lines, as a table, and as text for other tools. The URL has
// the parameters of /v1/query.

import { latest } from "./api.js";
import { copy } from "./event.js";
import { split } from "./condition.js";
import { figures } from "./damage.js";
import { fill, h, key } from "./dom.js";
import { known } from "./facets.js";
import { SECOND, nanos, spanText, stepFor } from "./format.js";
import { label, make } from "./plot.js";
import { nameText, params, range } from "./range.js";
import { change, state } from "./state.js";
import { listed, plain, said as text } from "./text.js";
import * as translate from "./translate.js";

const POINTS = 200;
const ROWS = ["5", "10", "20", "50"];
const ROWS_USUAL = "10";

const offers = h("datalist", { id: "aggregates-offered" });
const names = h("datalist", { id: "fields-offered" });
const input = (/** @type {string} */ test, /** @type {string} */ name, /** @type {string} */ placeholder, /** @type {string} */ list) =>
  /** @type {HTMLInputElement} */ (h("input", { test, spellcheck: "false", autocomplete: "off", "aria-label": name, placeholder, list }));
const stats = input("stats", "aggregates", "count", "aggregates-offered");
const by = input("by", "fields to group by", "no field", "fields-offered");
const top = /** @type {HTMLSelectElement} */ (h("select", { test: "top", "aria-label": "groups that are shown" }, ...ROWS.map((rows) => h("option", { value: rows }, `top ${rows}`))));
const rate = h("button.box", { test: "rate", type: "button", onclick: () => change({ rate: !state.rate }, true) }, "per second");
const said = h("p.quiet", { test: "aggregates-said" });
const copied = h("pre.copy.copied-text", { test: "copied", hidden: true, tabindex: "0", "aria-label": "the copied text" });
const copies = h("div.copies", {}, h("span.quiet", {}, "copy as"), ...Object.entries(translate.FORMS).map(([form, make]) =>
  h("button.link", { test: `copy-${form}`, onclick: () => copyAs(form, make) }, translate.NAMES[form])));
const { plot, table, show, repaint: draw, lines } = make("aggregates", "group", (canvas) => canvas.setAttribute("aria-label", label(lines().length, items().join(", "))));
let shownStep = SECOND;

export const element = h("main.series.aggregates", { hidden: true, "aria-label": "aggregates over time" },
  h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); ask(); } },
    h("label.box.grow", {}, "aggregate", stats), h("label.box.grow", {}, "by", by), h("label.box", {}, top), rate,
    h("button.box.strong", {}, "Show ", key("Enter")), offers, names),
  said, plot, table, h("div", {}, copies, copied));

top.addEventListener("change", ask);
element.addEventListener("focusin", offer);

function ask() {
  change({ stats: stats.value.trim(), by: by.value.trim(), limit: top.value === ROWS_USUAL ? "" : top.value, view: "aggregates" }, true);
}

/** Offers aggregates and fields of the present events. */
function offer() {
  const all = known.fields.map((field) => nameText(field.field));
  const numbers = known.fields.filter((field) => field.kind === "number").map((field) => nameText(field.field));
  const option = (/** @type {string} */ value) => h("option", { value: plain(value) });
  fill(names, ...all.map(option));
  fill(offers, ...["count", "count(level >= error) / count", "bytes", ...numbers.flatMap((name) => [`p50(${name}),p99(${name})`, `sum(${name})`, `avg(${name})`, `max(${name})`])].map(option));
}

/** The aggregates, each as it is written. */
function items() {
  return split(state.stats || "count");
}

/** @param {bigint} span of a value */
function asked(span) {
  const each = items().map((item, i) => `${translate.valueOf(item, state.rate ? span : null)} as c${i}`);
  const limit = ROWS.includes(state.limit) ? state.limit : ROWS_USUAL;
  return { stats: each.join(", "), ...(state.by ? { by: state.by, limit, other: "true", "order-by": "c0 desc" } : {}) };
}

/** Asks for the aggregates of the range and of its steps. */
export async function load() {
  Object.assign(stats, { value: state.stats });
  Object.assign(by, { value: state.by });
  top.value = ROWS.includes(state.limit) ? state.limit : ROWS_USUAL;
  top.disabled = !state.by;
  rate.setAttribute("aria-pressed", String(state.rate));
  copied.hidden = true;
  const step = stepFor(range.to - range.from, POINTS);
  const first = range.from / step * step;
  const count = Number((range.to - 1n - first) / step) + 1;
  const signal = latest("aggregates");
  const lost = new Map();
  const each = items();
  const found = /** @type {Map<string, import("./plot.js").Line>} */ (new Map());
  const take = (/** @type {any} */ row, /** @type {(line: any, value: number) => void} */ put) => each.forEach((item, i) => {
    const name = nameOf(row, each.length > 1 || !state.by ? item : "");
    const line = found.get(name) ?? { name, whole: NaN, values: new Float64Array(count).fill(translate.isCount(item) ? 0 : NaN) };
    found.set(name, line);
    const value = row[`c${i}`];
    put(line, value === null || value === undefined ? NaN : Number(value));
  });
  const begun = performance.now();
  await figures(params(asked(range.to - range.from)), signal, lost, (row) => take(row, (line, value) => { line.whole = value; }));
  await figures(params({ ...asked(step), every: `${step}ns` }), signal, lost, (row) => take(row, (line, value) => {
    line.values[Number((nanos(row.ts) - first) / step)] = value;
  }));
  shownStep = step;
  show([...found.values()], first + step / 2n, step);
  fill(said, `${found.size} ${found.size === 1 ? "line" : "lines"}, step ${spanText(step)}, ${Math.round(performance.now() - begun)} ms`,
    lost.size > 0 ? h("span.warned", {}, " without what cannot be read") : null);
}

/** The name of a line. @param {any} row @param {string} item */
function nameOf(row, item) {
  const values = state.by ? state.by.split(",").map((name) => row[name.trim().replace(/^\x60|\x60$/g, "")]) : [];
  return [...values.map((value) => (value === null || value === undefined ? "(no value)" : text(value))), item].filter((part) => part).join(" · ");
}

/** @param {string} form @param {(of: any) => string} make */
async function copyAs(form, make) {
  const values = lines().map((line) => line.most).filter(Number.isFinite);
  try {
    const made = make({ items: items(), step: shownStep < SECOND ? SECOND : shownStep, greatest: Math.max(0, ...values), limit: state.limit || ROWS_USUAL, by: listed(state.by) });
    copied.textContent = made;
    copied.dataset.form = form;
    await copy(made, translate.NAMES[form]);
  } catch (refused) {
    copied.textContent = `${translate.NAMES[form]} cannot say this: ${refused instanceof Error ? refused.message : refused}`;
    copied.dataset.form = "";
  }
  copied.hidden = false;
}

export function repaint() {
  draw();
}

/** Lets the aggregates be written. */
export function focus() {
  stats.focus();
  stats.select();
}
