import { axis } from "./axis.js";
import { palette, surface } from "./dom.js";
import { range } from "./range.js";

/** How many colours lines have; more lines take turns. */
export const LINES = 8;

const AREA = { left: 62, right: 14, top: 12, bottom: 24 };
const FONT = "11px Inter, system-ui, sans-serif";
const NEAR = 40; // pixels from a line

/** The scale of the values of some lines: round numbers around all that are finite. @param {any[]} lines */
function scaleOf(lines) {
  const least = Math.min(0, ...lines.map((line) => line.least).filter(Number.isFinite));
  const most = Math.max(...lines.map((line) => line.most).filter(Number.isFinite), least === 0 ? 1e-12 : 0);
  const rough = (most - least) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((of) => of * power).find((of) => of >= rough) ?? rough;
  return { low: Math.floor(least / step) * step, high: Math.ceil(most / step) * step || step, step };
}

/** @param {HTMLCanvasElement} canvas @param {any} view */
function placesOf(canvas, view) {
  const { width, height } = canvas.getBoundingClientRect();
  const span = Number(range.to - range.from);
  const scale = scaleOf(view.lines);
  return {
    scale, x: (/** @type {bigint} */ time) => AREA.left + Number(time - range.from) / span * (width - AREA.left - AREA.right),
    y: (/** @type {number} */ value) => height - AREA.bottom - (value - scale.low) / (scale.high - scale.low) * (height - AREA.top - AREA.bottom),
  };
}

/**
 * Draws lines over time; a step without a value is a gap.
 * @param {HTMLCanvasElement} canvas @param {any} view
 */
export function draw(canvas, view) {
  const on = surface(canvas);
  if (!on || range.to <= range.from) {
    return;
  }
  const { pen, width, height } = on;
  const colour = palette();
  const { scale, x, y } = placesOf(canvas, view);
  pen.font = FONT;
  axis(pen, colour, x, width / 105, height - 7, AREA.left + 16, width - 30);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let value = scale.low; value <= scale.high + scale.step / 2; value += scale.step) {
    pen.fillStyle = colour("--line");
    pen.fillRect(AREA.left, Math.round(y(value)), width - AREA.left - AREA.right, 1);
    pen.fillStyle = colour("--faint");
    pen.fillText(String(Number(value.toPrecision(4))), AREA.left - 8, y(value));
  }
  const chosen = view.lines.filter((/** @type {any} */ line) => line.name === view.chosen);
  for (const line of [...view.lines.filter((/** @type {any} */ each) => !chosen.includes(each)), ...chosen]) {
    pen.globalAlpha = chosen.length > 0 && line.name !== view.chosen ? 0.2 : 1;
    pen.strokeStyle = colour(`--line-${line.index % LINES}`);
    pen.fillStyle = pen.strokeStyle;
    pen.lineWidth = line.name === view.chosen ? 2.5 : 1.5;
    trace(pen, line.values, (place) => x(view.first + BigInt(place) * view.step), y);
  }
  pen.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} pen @param {Float64Array} values @param {(place: number) => number} x @param {(value: number) => number} y */
function trace(pen, values, x, y) {
  pen.beginPath();
  let down = false;
  values.forEach((value, place) => {
    const there = Number.isFinite(value);
    if (there && !down && !Number.isFinite(values[place + 1])) {
      pen.fillRect(x(place) - 1, y(value) - 1, 2, 2); // alone
    } else if (there) {
      pen[down ? "lineTo" : "moveTo"](x(place), y(value));
    }
    down = there;
  });
  pen.stroke();
}

/**
 * The point of a line that is nearest to a place on the canvas; null when none is near.
 * @param {HTMLCanvasElement} canvas @param {any} view @param {number} left @param {number} top
 */
export function at(canvas, view, left, top) {
  const { x, y } = placesOf(canvas, view);
  const wide = x(view.first + view.step) - x(view.first);
  const place = Math.round((left - x(view.first)) / wide);
  let found = null;
  let nearest = NEAR;
  for (const line of view.lines) {
    const away = Math.abs(y(line.values[place]) - top);
    if (away < nearest) {
      nearest = away;
      found = { line, place };
    }
  }
  return found;
}
