import { isOld, latest } from "./api.js";
import { element as damage, figures, incomplete, tell } from "./damage.js";
import { h, whenDrawnAnew } from "./dom.js";
import { heat, load as loadHeat, numbers } from "./heat.js";
import { iso, nanos, stepFor, minuteText, dayText } from "./format.js";
import { classOf, volume } from "./levels.js";
import { params, range } from "./range.js";
import { change, state } from "./state.js";
import { PLOT, draw } from "./strip-draw.js";

/** The bars: events of each step and class of level. */
export const strip = {
  step: 1n, first: 0n, bars: /** @type {Record<string, number>[]} */ ([]), total: 0,
  levels: /** @type {Map<unknown, number>} */ (new Map()), sums: /** @type {Record<string, number>} */ ({}), millis: 0,
  lost: new Map(), incomplete: /** @type {boolean[]} */ ([]), // parts that cannot be read, and which bars lack them
  at: /** @type {bigint | null} */ (null), drag: /** @type {any} */ (null),
};

const BARS = 260;
export const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { test: "bars", role: "img", tabindex: "0" }));
const tools = h("div.strip-tools", { hidden: true });
const legend = h("div.legend");
export const element = h("section.strip", { test: "strip", "aria-label": "volume over time" }, canvas, legend, tools, damage);

/** @param {{different: () => void}} on */
export function start(on) {
  tools.append(
    h("button.link", { test: "zoom", onclick: zoom }, "Zoom in ", h("kbd", {}, "z")),
    h("button.link.strong", { test: "pick-why", onclick: on.different }, "What is different here? ", h("kbd", {}, "d")),
    h("button.link", { "aria-label": "drop the choice", onclick: unpick }, "✕"));
  whenDrawnAnew(canvas, redraw);
}

const none = () => ({ error: 0, warn: 0, info: 0, debug: 0, none: 0 });

/** Asks for the bars of the question. Numbers of bars, never events. */
export async function load() {
  const step = stepFor(range.to - range.from, BARS);
  const first = range.from / step * step;
  const count = Number((range.to - first + step - 1n) / step);
  const bars = Array.from({ length: Math.max(count, 1) }, none);
  const sums = none();
  const levels = new Map();
  const lost = new Map();
  let total = 0;
  try {
    const told = await figures(params({ stats: "count", by: "level", every: `${step}ns` }),
      latest("strip"), lost, (row) => {
        const bar = bars[Number((nanos(row.ts) - first) / step)];
        const of = classOf(row.level);
        if (bar) {
          bar[of] += row.count;
        }
        sums[of] += row.count;
        total += row.count;
        if (row.level !== null) {
          levels.set(row.level, (levels.get(row.level) ?? 0) + row.count);
        }
      });
    Object.assign(strip, { step, first, bars, sums, levels, total, lost, millis: told.millis });
    redraw();
    performance.mark("bars");
    await loadHeat(strip, redraw);
    redraw();
  } catch (failure) {
    if (!isOld(failure)) {
      throw failure;
    }
  }
}

/** Counts an event that came while following. @param {bigint} time @param {unknown} level */
export function count(time, level) {
  const of = classOf(level);
  const bar = strip.bars[Number((time - strip.first) / strip.step)];
  if (bar) {
    bar[of]++;
  }
  strip.sums[of]++;
  strip.total++;
}

/** Moves the bars with the range: bars before it are removed, and new ones are empty. */
export function goOn() {
  const { bars, step, sums } = strip;
  if (!bars.length) {
    return; // the first ones are being loaded
  }
  const left = Math.max(0, Number((range.from - strip.first) / step));
  for (const bar of bars.splice(0, left)) {
    for (const of in bar) {
      sums[of] -= bar[of];
      strip.total -= bar[of];
    }
  }
  heat.rows.forEach((row) => row.counts.splice(0, left));
  strip.first += BigInt(left) * step;
  while (strip.first + BigInt(bars.length) * step < range.to) {
    bars.push(none());
  }
}

/** The chosen time, or null. */
export function pick() {
  const [from, to] = state.pick.split("/");
  return from && to ? { from: nanos(from), to: nanos(to) } : null;
}

export function redraw() {
  strip.incomplete = incomplete(strip);
  const damaged = strip.incomplete.filter((is) => is).length;
  tell(strip.lost);
  canvas.dataset.incomplete = String(damaged);
  canvas.dataset.total = String(strip.total);
  canvas.dataset.step = String(Number(strip.step) / 1e6);
  canvas.dataset.heat = String(heat.rows.flatMap((row) => row.counts).reduce((a, b) => a + b, 0));
  const chosen = pick();
  draw(canvas, legend, strip, chosen);
  tools.hidden = chosen === null || strip.drag !== null;
  if (chosen) {
    tools.style.left = `${Math.max(8, Math.min(placeOf(chosen.from) - 280, canvas.clientWidth - 360))}px`;
  }
  const most = Math.max(...strip.bars.map((bar) => volume(bar) + bar.error), 0);
  canvas.setAttribute("aria-label", `${strip.total} events, at most ${most} in a bar, ${strip.sums.error ?? 0} errors, ${damaged ? `${damaged} bars incomplete for damage, ` : ""}${dayText(range.from)} ${minuteText(range.from)} to ${dayText(range.to)} ${minuteText(range.to)}`);
}

/** Turns the volume into a heat map of a number, or back; false when there is no number. */
export function toggleHeat() {
  const [first] = numbers();
  change({ heat: state.heat ? "" : first ?? "" });
  return state.heat !== "" || first !== undefined;
}

/** Marks where the list stands. @param {bigint | null} time */
export function mark(time) {
  if (strip.at !== time) {
    strip.at = time;
    redraw();
  }
}

/** Where a time is on the canvas. @param {bigint} time */
export function placeOf(time) {
  return PLOT.left + Number(time - range.from) / Number(range.to - range.from) * (canvas.clientWidth - PLOT.left - PLOT.right);
}

/** Makes the chosen time the range. */
export function zoom() {
  const chosen = pick();
  if (chosen) {
    change({ from: iso(chosen.from), to: iso(chosen.to), since: "", pick: "", pickwhere: "" }, true);
  }
}

/** Drops the choice. */
export function unpick() {
  change({ pick: "", pickwhere: "" });
}
