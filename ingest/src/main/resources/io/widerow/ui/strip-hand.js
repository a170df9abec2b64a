// The bars by mouse and keys: a drag chooses a time, a click goes there.

import { iso } from "./format.js";
import { filter, heat, rowAt } from "./heat.js";
import { ERRORS } from "./levels.js";
import { range } from "./range.js";
import { change, state } from "./state.js";
import { canvas, pick, placeOf, redraw, strip } from "./strip.js";
import { PLOT } from "./strip-draw.js";

const GRIP = 6; // pixels around an end of the choice that move it

/** Called with a time to which the list goes. */
let goTo = (/** @type {bigint} */ _time) => {};

/** @param {(time: bigint) => void} go */
export function start(go) {
  goTo = go;
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("keydown", arrows);
}

/** The time at an x of the canvas. @param {number} x */
function timeAt(x) {
  const width = canvas.clientWidth - PLOT.left - PLOT.right;
  const share = Math.max(0, Math.min(1, (x - PLOT.left) / width));
  return range.from + BigInt(Math.round(share * Number(range.to - range.from)));
}

/** @param {PointerEvent} event */
function down(event) {
  canvas.setPointerCapture(event.pointerId);
  const errors = event.offsetY > PLOT.errorTop;
  const other = otherEnd(event.offsetX);
  strip.drag = {
    x: event.offsetX, y: event.offsetY, from: other ?? timeAt(event.offsetX), errors, moved: other !== null, pan: event.shiftKey, rows: null,
    keeps: other !== null,
  };
}

/** The other end of the choice, when one of its ends is at an x of the canvas; else null. @param {number} x */
function otherEnd(x) {
  const chosen = pick();
  const near = (/** @type {bigint} */ time) => Math.abs(placeOf(time) - x) < GRIP;
  return chosen && near(chosen.from) ? chosen.to - 1n : chosen && near(chosen.to) ? chosen.from : null;
}

/** Moves where the list stands by a bar; with shift, chooses the bars that are passed. @param {KeyboardEvent} event */
function arrows(event) {
  const by = { ArrowLeft: -1n, ArrowRight: 1n }[event.key];
  if (!by || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  event.preventDefault();
  const at = strip.at ?? range.to;
  const begin = at / strip.step * strip.step;
  if (event.shiftKey) {
    const chosen = pick() ?? { from: begin, to: begin + strip.step };
    const to = chosen.to + (pick() ? by * strip.step : 0n);
    choose(chosen.from, to > chosen.from ? to : chosen.to, "");
  } else {
    const to = begin + by * strip.step;
    goTo(to < range.from ? range.from : to >= range.to ? range.to - 1n : to);
  }
}

/** @param {PointerEvent} event */
function move(event) {
  const drag = strip.drag;
  if (!drag || (!drag.moved && Math.abs(event.offsetX - drag.x) < 4)) {
    return;
  }
  drag.moved = true;
  drag.to = timeAt(event.offsetX);
  if (heat.rows.length > 0 && !drag.errors) { // a rectangle of time and values
    const rows = [rowAt(drag.y, PLOT), rowAt(event.offsetY, PLOT)];
    drag.rows = { low: Math.min(...rows), high: Math.max(...rows) };
  }
  redraw();
}

/** @param {PointerEvent} event */
function up(event) {
  const drag = strip.drag;
  strip.drag = null;
  if (!drag) {
    return;
  }
  if (!drag.moved) {
    goTo(drag.from);
    redraw();
    return;
  }
  const to = timeAt(event.offsetX);
  if (drag.pan) {
    const by = drag.from - to;
    change({ from: iso(range.from + by), to: iso(range.to + by), since: "" }, true);
    return;
  }
  const [a, b] = drag.from < to ? [drag.from, to] : [to, drag.from];
  choose(a, (b / strip.step + 1n) * strip.step,
    drag.keeps ? state.pickwhere : drag.errors ? ERRORS : drag.rows ? filter(drag.rows.low, drag.rows.high) : "");
  goTo(a);
}

/** Chooses whole bars of the range. @param {bigint} from @param {bigint} to @param {string} pickwhere */
function choose(from, to, pickwhere) {
  const begin = from / strip.step * strip.step;
  change({ pick: `${iso(begin < range.from ? range.from : begin)}/${iso(to > range.to ? range.to : to)}`, pickwhere }, true);
}

/** @param {WheelEvent} event */
function wheel(event) {
  if (!event.ctrlKey) {
    return;
  }
  event.preventDefault();
  const middle = timeAt(event.offsetX);
  const scale = event.deltaY > 0 ? 1.25 : 0.8;
  const scaled = (/** @type {bigint} */ span) => BigInt(Math.round(Number(span) * scale));
  change({ from: iso(middle - scaled(middle - range.from)), to: iso(middle + scaled(range.to - middle)), since: "" });
}
