// The volume as a heat map of one number: time to the right, values upwards in at most ROWS_MAX rows.
// Each row is one question for counts, so that no event travels.

import { all, latest } from "./api.js";
import { figures } from "./damage.js";
import { colour } from "./dom.js";
import { between, known, number } from "./facets.js";
import { nanos } from "./format.js";
import { both, params, stages } from "./range.js";
import { state } from "./state.js";
import { isNumber } from "./text.js";

const ROWS_MAX = 16;
const SHADES = 5;

/** @typedef {import("./facets.js").Bin} Bin */
/** @typedef {{least: Bin, greatest: Bin, counts: number[]}} Row of neighbouring bins */
export const heat = { field: "", rows: /** @type {Row[]} */ ([]), most: 0 };

/** The numbers that the events have, those with many values first. */
export function numbers() {
  const rank = (/** @type {any} */ field) => (field.bins ? 0 : 1);
  return known.fields.filter((field) => field.kind === "number" && !field.parsed && (field.bins || field.values.length > 1))
    .sort((a, b) => rank(a) - rank(b)).map((field) => field.field);
}

/**
 * Counts the values of the number of the state; draws after each row of them.
 * @param {{step: bigint, first: bigint, bars: any[], lost: Map<string, any>}} strip
 * @param {() => void} drawn
 */
export async function load(strip, drawn) {
  Object.assign(heat, { field: "", rows: [], most: 0 });
  const field = state.heat;
  const signal = latest("heat");
  if (!field) {
    return;
  }
  const { lines } = await all(`/v1/fields/${encodeURIComponent(field)}`, params({ damage: "skip" }, { where: stages(state.where)[0] ?? "" }), signal);
  const rows = rowsOf(lines.find((line) => line.field === field), strip.bars.length);
  Object.assign(heat, { field, rows });
  for (const row of rows) {
    const where = both(state.where, between(field, row.least, row.greatest));
    await figures(params({ stats: "count", every: `${strip.step}ns` }, { where }), signal, strip.lost, (line) => {
      const at = Number((nanos(line.ts) - strip.first) / strip.step);
      row.counts[at] = (row.counts[at] ?? 0) + line.count;
      heat.most = Math.max(heat.most, row.counts[at]);
    });
    drawn();
  }
}

/** Rows for the values of a field: its bins, or its few values. @param {any} field @returns {Row[]} */
function rowsOf(field, bars) {
  const found = field?.bins ?? (field?.values ?? []).filter((/** @type {any} */ each) => isNumber(each.value))
    .map((/** @type {any} */ each) => ({ from: each.value, to: each.value }));
  const sorted = [];
  for (const bin of [...found].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const before = sorted[sorted.length - 1];
    for (let from = before?.to; before && before.to > before.from && from > 0 && from < bin.from; from *= 2) {
      sorted.push({ from, to: Math.min(from * 2, bin.from) }); // no value lies here
    }
    sorted.push(bin);
  }
  const each = Math.ceil(sorted.length / ROWS_MAX);
  const rows = [];
  for (let i = 0; i < sorted.length; i += each) {
    rows.push({ least: sorted[i], greatest: sorted[Math.min(i + each, sorted.length) - 1], counts: new Array(bars).fill(0) });
  }
  return rows;
}

/** A filter for rows, both ends among them. @param {number} low @param {number} high */
export function filter(low, high) {
  return between(heat.field, heat.rows[low].least, heat.rows[high].greatest);
}

/** The rows that a filter is for; null when it is for none. @param {string} where */
export function rowsFor(where) {
  for (let low = 0; where && low < heat.rows.length; low++) {
    for (let high = low; high < heat.rows.length; high++) {
      if (filter(low, high) === where) {
        return { low, high };
      }
    }
  }
  return null;
}

/** The row at a height of the canvas. @param {number} y @param {{top: number, bottom: number}} plot */
export function rowAt(y, plot) {
  const row = Math.floor((plot.bottom - y) / (plot.bottom - plot.top) * heat.rows.length);
  return Math.max(0, Math.min(row, heat.rows.length - 1));
}

/** Where rows lie. @param {number} low @param {number} high @param {{top: number, bottom: number}} plot */
export function span(low, high, plot) {
  const each = (plot.bottom - plot.top) / heat.rows.length;
  return { top: plot.bottom - (high + 1) * each, height: (high - low + 1) * each };
}

/**
 * Draws the rows instead of the volume, by the logarithm of their counts.
 * @param {CanvasRenderingContext2D} pen @param {any} plot @param {(i: number) => [number, number]} place of a bar
 */
export function draw(pen, plot, place) {
  const ink = Array.from({ length: SHADES }, (_, i) => colour(`--map-${i}`));
  heat.rows.forEach((row, i) => {
    const { top, height } = span(i, i, plot);
    row.counts.forEach((count, at) => {
      if (count > 0) {
        const [left, wide] = place(at);
        pen.fillStyle = ink[Math.min(SHADES - 1, Math.floor(Math.log1p(count) / Math.log1p(heat.most) * (SHADES - 0.001)))];
        pen.fillRect(left, top, wide, height - (height > 4 ? 1 : 0));
      }
    });
  });
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = colour("--faint");
  const gap = Math.max(1, Math.ceil(heat.rows.length * 14 / (plot.bottom - plot.top)));
  for (let i = 0; i < heat.rows.length; i += gap) {
    const { top, height } = span(i, i, plot);
    pen.fillText(number(heat.rows[i].least.from), plot.left - 8, top + height / 2);
  }
}
