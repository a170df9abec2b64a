import { axis } from "./axis.js";
import { draw as drawDamage } from "./damage.js";
import { fill, h, palette, shown, surface } from "./dom.js";
import { draw as drawHeat, heat, numbers, rowsFor, span as spanOf } from "./heat.js";
import { short, whole } from "./format.js";
import { CONDITIONS, STACK, className, volume } from "./levels.js";
import { both, range } from "./range.js";
import { change, state } from "./state.js";

/** Where the plot lies in its canvas, in pixels. */
export const PLOT = { left: 46, right: 12, top: 26, bottom: 95, errorTop: 98, errorBottom: 126 };
const NUMBERS_MAX = 6;
const FONT = "11px Inter, system-ui, sans-serif";

/** A round number that is not less. @param {number} most */
function roundUp(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 2.5, 5, 10].map((of) => of * power).find((of) => of >= most) ?? most;
}

/**
 * Draws volume by level, errors below on their own scale, the choice and where the list stands.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} legend
 * @param {any} strip
 * @param {{from: bigint, to: bigint} | null} pick
 */
export function draw(canvas, legend, strip, pick) {
  names(legend, strip);
  const on = surface(canvas);
  const span = Number(range.to - range.from);
  if (!on || span <= 0) {
    return;
  }
  const { pen, width } = on;
  const colour = palette();
  const plot = width - PLOT.left - PLOT.right;
  const x = (/** @type {bigint} */ time) => PLOT.left + Number(time - range.from) / span * plot;
  pen.font = FONT;
  const volumes = strip.bars.map((/** @type {any} */ bar) => volume(bar));
  const top = roundUp(Math.max(...volumes, 1));
  const errorTop = Math.max(...strip.bars.map((/** @type {any} */ bar) => bar.error), 0);
  scale(pen, colour, width, heat.rows.length > 0 ? 0 : top, errorTop);
  const place = (/** @type {number} */ i) => {
    const begin = strip.first + BigInt(i) * strip.step;
    const left = Math.max(x(begin), PLOT.left);
    const right = Math.min(x(begin + strip.step), width - PLOT.right);
    return /** @type {[number, number]} */ ([left, Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5)]);
  };
  drawDamage(pen, colour, strip.incomplete, (first, last) => {
    const [from] = place(first);
    const [left, wide] = place(last);
    return { x: from, y: PLOT.top, width: left + wide - from, height: PLOT.errorBottom - PLOT.top };
  });
  drawHeat(pen, PLOT, place);
  strip.bars.forEach((/** @type {any} */ bar, /** @type {number} */ i) => {
    const [left, wide] = place(i);
    let bottom = PLOT.bottom;
    for (const of of heat.rows.length > 0 ? [] : STACK) {
      const high = bar[of] / top * (PLOT.bottom - PLOT.top);
      if (high > 0) {
        pen.fillStyle = colour(`--bar-${of}`);
        pen.fillRect(left, bottom - high, wide, high);
        bottom -= high;
      }
    }
    if (bar.error > 0) {
      const high = Math.max(bar.error / errorTop * (PLOT.errorBottom - PLOT.errorTop - 4), 2);
      pen.fillStyle = colour("--bar-error");
      pen.fillRect(left, PLOT.errorBottom - high, wide, high);
    }
  });
  axis(pen, colour, x, width / 105, PLOT.errorBottom + 14, PLOT.left + 16, width - 30);
  stand(pen, colour, x, strip);
  choice(pen, colour, x, strip, pick);
}

/** @param {CanvasRenderingContext2D} pen */
function scale(pen, colour, width, top, errorTop) {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const share of [1, 0.5]) {
    const y = PLOT.bottom - share * (PLOT.bottom - PLOT.top);
    pen.fillStyle = colour("--line");
    pen.fillRect(PLOT.left, Math.round(y), width - PLOT.left - PLOT.right, 1);
    pen.fillStyle = colour("--faint");
    pen.fillText(top * share >= 1 ? short(top * share) : "", PLOT.left - 8, y);
  }
  pen.fillStyle = colour("--line");
  pen.fillRect(PLOT.left, PLOT.bottom, width - PLOT.left - PLOT.right, 1);
  pen.fillRect(PLOT.left, PLOT.errorBottom, width - PLOT.left - PLOT.right, 1);
  if (errorTop > 0) {
    pen.fillStyle = colour("--error");
    pen.fillText(short(errorTop), PLOT.left - 8, PLOT.errorTop + 10);
  }
}

function choice(pen, colour, x, strip, pick) {
  const drag = strip.drag?.moved && !strip.drag.pan ? strip.drag : null;
  const chosen = drag
    ? { from: drag.from < drag.to ? drag.from : drag.to, to: drag.from < drag.to ? drag.to : drag.from }
    : pick;
  if (chosen) {
    const errors = drag ? drag.errors : state.pickwhere !== "";
    const left = x(chosen.from);
    const right = x(chosen.to);
    const rows = drag ? drag.rows : rowsFor(state.pickwhere);
    const area = rows ? spanOf(rows.low, rows.high, PLOT) : null;
    const top = area ? area.top : errors && drag ? PLOT.errorTop : PLOT.top - 4;
    pen.fillStyle = colour("--choice");
    pen.fillRect(left, top, right - left, area ? area.height : PLOT.errorBottom - top);
    pen.fillStyle = colour("--accent");
    if (area) {
      pen.strokeStyle = colour("--accent");
      pen.lineWidth = 2;
      pen.strokeRect(left, top, right - left, area.height);
      return;
    }
    for (const edge of [left, right]) {
      pen.fillRect(edge - 1, top, 2, PLOT.errorBottom - top);
      pen.fillRect(edge - 3, PLOT.bottom - 34, 6, 15);
    }
  }
}

/** Where the list stands. */
function stand(pen, colour, x, strip) {
  if (strip.at !== null && strip.at >= range.from && strip.at <= range.to) {
    const at = x(strip.at);
    pen.fillStyle = colour("--text");
    pen.fillRect(at - 0.5, PLOT.top - 4, 1, PLOT.errorBottom - PLOT.top + 4);
    pen.beginPath();
    pen.arc(at, PLOT.top - 6, 3, 0, 2 * Math.PI);
    pen.fill();
  }
}

function names(legend, strip) {
  const there = ["error", "warn", "info", "debug", "none"].filter((of) => strip.sums[of] > 0);
  const told = [state.heat, state.where, ...there.map((of) => of + strip.sums[of]), ...(state.heat ? numbers() : [])].join();
  if (legend.dataset.told === told) {
    return; // else a button would go while it is pressed
  }
  legend.dataset.told = told;
  fill(legend, ...(state.heat ? [] : there).map((of) =>
    h("button", {
      test: "level", "data-level": of, title: `${whole(strip.sums[of])} events. Click: only these`, "aria-pressed": String(state.where === CONDITIONS[of]),
      onclick: () => change({ where: state.where === CONDITIONS[of] ? "" : both(state.where, CONDITIONS[of]) }, true),
    }, h(`i.swatch.bar-${of}`), `${className(of)} `, h("b", {}, short(strip.sums[of])))),
  ...(state.heat ? [...new Set([state.heat, ...numbers()])].slice(0, NUMBERS_MAX) : []).map((of) =>
    h("button.link", { "aria-pressed": String(of === state.heat), onclick: () => change({ heat: of }) }, ...shown(of))));
}
