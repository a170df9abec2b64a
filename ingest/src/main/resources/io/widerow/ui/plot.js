// Lines over time, with the values under the pointer, and a table of them. A press on a line or on
// its row emphasizes it.

import { fill, h, perFrame, shown, whenDrawnAnew } from "./dom.js";
import { clock, dayText, iso } from "./format.js";
import { LINES, at, draw } from "./plot-draw.js";
import { range } from "./range.js";
import { plain } from "./text.js";

/** @typedef {{name: string, values: Float64Array, whole?: number}} Line of a value for each step, NaN where there is none, and of the range as a whole */

/**
 * Makes a plot and its table, both empty.
 * @param {string} test name of the canvas, for tests
 * @param {string} named heads the names of the lines
 * @param {(canvas: HTMLCanvasElement) => void} labelled called after each drawing
 */
export function make(test, named, labelled) {
  const view = { lines: /** @type {any[]} */ ([]), first: 0n, step: 1n, chosen: "" };
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { test, role: "img" }));
  const tip = h("div.map-tip", { hidden: true, "data-decor": "" });
  const plot = h("div.series-plot", {}, canvas, tip);
  const table = h("div.series-table", { test: `${test}-table`, tabindex: "0" });

  /** Shows lines. @param {Line[]} lines @param {bigint} first the time of the first step @param {bigint} step */
  function show(lines, first, step) {
    Object.assign(view, { lines: lines.map(measured), first, step });
    view.chosen = view.lines.some((line) => line.name === view.chosen) ? view.chosen : "";
    rows();
    repaint();
  }

  function rows() {
    const of = view.lines.some((line) => line.whole !== undefined) ? ["whole"] : ["last"];
    const columns = [...of, ...(of[0] === "whole" ? ["last"] : []), "least", "mean", "most"];
    const names = { whole: "range", last: "last", least: "min", mean: "mean", most: "max" };
    const number = (/** @type {number} */ value) => (Number.isNaN(value) ? 0 : value);
    const sorted = of[0] === "whole" ? view.lines : view.lines.toSorted((a, b) => number(b.last) - number(a.last));
    fill(table, h("table", {},
      h("thead", {}, h("tr", {}, ...[named, ...columns.map((column) => names[column])].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...sorted.map((line) => h("tr", { "data-chosen": String(line.name === view.chosen) },
        h("td", {}, h("button.series-name", { "aria-pressed": String(line.name === view.chosen), onclick: () => choose(line.name) }, h(`i.swatch.line-${line.index % LINES}`), ...shown(line.name))),
        ...columns.map((column) => h("td.number", {}, figure(line[column]))))))));
  }

  /** Emphasizes a line, or none. @param {string} name */
  function choose(name) {
    view.chosen = name === view.chosen ? "" : name;
    rows();
    repaint();
  }

  /** Draws again. */
  function repaint() {
    if (!canvas.isConnected || plot.hidden || canvas.clientWidth === 0) {
      return;
    }
    draw(canvas, view);
    const points = view.lines.reduce((sum, line) => sum + line.values.filter((/** @type {number} */ value) => !Number.isNaN(value)).length, 0);
    Object.assign(canvas.dataset, { series: view.lines.length, step: Number(view.step) / 1e6, points, chosen: plain(view.chosen) });
    labelled(canvas);
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

  whenDrawnAnew(plot, perFrame(repaint));
  canvas.addEventListener("pointermove", hint);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", (event) => choose(at(canvas, view, event.offsetX, event.offsetY)?.line.name ?? ""));
  return { plot, table, show, repaint, lines: () => view.lines };
}

/** @param {Line} line @param {number} index */
function measured(line, index) {
  const there = line.values.filter((value) => Number.isFinite(value));
  return {
    ...line, index, last: line.values.findLast((value) => !Number.isNaN(value)) ?? NaN,
    least: there.length ? Math.min(...there) : NaN, most: there.length ? Math.max(...there) : NaN,
    mean: there.length ? there.reduce((sum, value) => sum + value, 0) / there.length : NaN,
  };
}

/** The text alternative of a plot. @param {number} count @param {string} of */
export function label(count, of) {
  return `${count} series of ${plain(of)}, ${iso(range.from)} to ${iso(range.to)}`;
}

/** A number in few digits. @param {number} number */
export function figure(number) {
  const size = Math.abs(number);
  return Number.isNaN(number) ? "–" : size !== 0 && Number.isFinite(number) && (size >= 1e9 || size < 1e-4) ? number.toExponential(3) : String(Number(number.toPrecision(6)));
}
