import { draw as drawDamage } from "./damage.js";
import { h, palette, surface } from "./dom.js";
import { volume } from "./levels.js";
import { range } from "./range.js";
import { strip } from "./strip.js";

const canvas = /** @type {HTMLCanvasElement} */ (h("canvas.rail", { test: "rail", role: "presentation", title: "time of the list" }));
export const element = canvas;

/** @param {(time: bigint) => void} goTo */
export function start(goTo) {
  let held = false;
  const go = (/** @type {PointerEvent} */ event) => {
    const share = Math.max(0, Math.min(event.offsetY / canvas.clientHeight, 1));
    goTo(range.from + BigInt(Math.round(share * Number(range.to - range.from))));
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = true;
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => held && go(event));
  canvas.addEventListener("pointerup", () => {
    held = false;
  });
}

/**
 * Draws the density of the range from above to below, and which part of it is seen.
 * @param {bigint | null} first @param {bigint | null} last
 */
export function draw(first, last) {
  const on = surface(canvas);
  const span = Number(range.to - range.from);
  if (!on || span <= 0) {
    return;
  }
  const { pen, width, height } = on;
  const colour = palette();
  const y = (/** @type {bigint} */ time) => Number(time - range.from) / span * height;
  const most = Math.max(...strip.bars.map((bar) => volume(bar) + bar.error), 1);
  const high = Math.max(height / Math.max(strip.bars.length, 1), 1);
  const topOf = (/** @type {number} */ i) => y(strip.first + BigInt(i) * strip.step);
  drawDamage(pen, colour, strip.incomplete, (from, to) => ({ x: 0, y: topOf(from), width, height: topOf(to) + high - topOf(from) }));
  strip.bars.forEach((bar, i) => {
    const top = topOf(i);
    const events = volume(bar);
    const wide = Math.min(1, events / most) * (width - 4);
    pen.fillStyle = colour("--bar-info");
    pen.fillRect(width - wide - 2, top, wide, high);
    if (bar.error > 0) {
      pen.fillStyle = colour("--bar-error");
      pen.fillRect(width - 2, top, 2, high);
    }
  });
  if (first !== null && last !== null) {
    pen.fillStyle = colour("--accent");
    const top = y(first);
    pen.fillRect(0, Math.max(top - 1, 0), width, Math.max(y(last) - top, 3));
  }
}
