// How the data lies: lanes, the wide rows (partitions) by type, shard and bucket, and segments; from
// the catalog, no event is read.

import { Refused, all, isOld, latest } from "./api.js";
import { fill, h, perFrame, shown, whenDrawnAnew, whenSeen } from "./dom.js";
import { bytes, clock, iso, now, short, sum as add } from "./format.js";
import { at, draw, highOf } from "./layout-draw.js";
import { side, tell } from "./layout-side.js";
import { read, stack } from "./partitions.js";
import { params } from "./range.js";
import { change, state } from "./state.js";
import { plain } from "./text.js";

const AGAIN_MILLIS = 1000;
const TYPES_ASKED = 20;
const FOLDS = ["", "day", "day,type"];
const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { test: "map", tabindex: "0", role: "img" }));
const outline = h("i.map-chosen", { hidden: true });
const tip = h("div.map-tip", { hidden: true, "data-decor": "" });
const box = h("div.map-box", {}, canvas, outline, tip);
export const element = h("main.map-view", { hidden: true }, box, side);

const map = {
  cells: /** @type {any[]} */ ([]), types: /** @type {any[]} */ ([]), segments: /** @type {any[]} */ ([]), lanes: /** @type {any[]} */ ([]),
  damage: /** @type {any[]} */ ([]), folded: /** @type {string[]} */ ([]), rows: 0, chosen: /** @type {any} */ (null), away: "",
};
let timer = 0;

canvas.addEventListener("click", (event) => choose(cellAt(event)));
canvas.addEventListener("dblclick", open);
canvas.addEventListener("keydown", arrows);
canvas.addEventListener("pointermove", (event) => hint(event));
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
whenDrawnAnew(box, perFrame(repaint));
whenSeen(() => following() && void load().catch(lost));

/** Asks for the catalog of the range; while following, again each second. */
export async function load() {
  clearTimeout(timer);
  try {
    const chosen = map.chosen?.name;
    const { lines, by } = await ask();
    Object.assign(map, read(lines), { away: "" });
    map.rows = stack(map.segments);
    map.chosen = map.cells.find((cell) => cell.name === chosen) ?? null;
    if (by) {
      map.folded.unshift(`summed up by ${by.replace(",", " and ")}`);
    }
    repaint();
  } finally {
    if (following()) {
      timer = setTimeout(() => void load().catch(lost), AGAIN_MILLIS);
    }
  }
}

function following() {
  return state.tail && state.view === "layout" && !document.hidden;
}

/** While following, a daemon that is away leaves the map as it was. @param {unknown} failure */
function lost(failure) {
  if (!isOld(failure)) {
    map.away ||= `The daemon is away: this is how it was at ${clock(now()).time}.`;
    tell(map, state.map, open);
  }
}

/** The catalog; summed up when there is more than the daemon tells in one answer. */
async function ask() {
  for (const by of FOLDS) {
    const asked = params({ layout: "true", ...(by ? { by } : {}) }, { where: "", shard: "" });
    try {
      return { by, ...(await all("/v1/partitions", asked, latest("map"))) };
    } catch (failure) {
      if (!(failure instanceof Refused) || !failure.message.startsWith("limit:") || by === FOLDS[2]) {
        throw failure;
      }
    }
  }
  throw new Refused("there are too many partitions", 400);
}

/** Draws the loaded data again. */
export function repaint() {
  if (element.hidden || element.offsetParent === null) {
    return;
  }
  canvas.style.height = `${Math.max(box.clientHeight - 4, highOf(map))}px`;
  draw(canvas, map, state.map);
  const sum = (/** @type {string} */ of) => add(map.cells, of);
  Object.assign(canvas.dataset, {
    partitions: sum("partitions"), events: sum("events"), segments: map.segments.length, rows: map.rows,
    damaged: map.cells.filter((cell) => cell.damaged).length, cold: map.cells.filter((cell) => cell.cold).length, late: sum("late"), open: map.cells.filter((cell) => cell.state === "open").length,
  });
  const greatest = map.cells.reduce((most, cell) => (cell.events > (most?.events ?? -1) ? cell : most), null);
  canvas.setAttribute("aria-label", `${sum("partitions")} wide rows of ${map.types.length} types, ${sum("events")} events`
    + (greatest ? `; the greatest is ${plain(greatest.name)} with ${greatest.events}` : ""));
  mark();
}

/** Outlines the chosen cell, and tells about it. */
function mark() {
  const cell = map.chosen;
  outline.hidden = !cell;
  if (cell) {
    Object.assign(outline.style, { left: `${cell.box.x - 1}px`, top: `${cell.box.y - 1}px`, width: `${cell.box.width + 2}px`, height: `${cell.box.height + 2}px` });
  }
  canvas.dataset.chosen = cell ? plain(cell.name) : "";
  tell(map, state.map, open);
}

/** @param {PointerEvent | MouseEvent} event */
function cellAt(event) {
  const found = at(map, event.offsetX, event.offsetY);
  return found?.type === undefined ? null : found;
}

/** Describes the row under the pointer. @param {PointerEvent} event */
function hint(event) {
  const of = at(map, event.offsetX, event.offsetY);
  tip.hidden = !of;
  if (of) {
    fill(tip, ...shown(of.file ? `${of.file}: ${of.partitions} partitions, ${of.cold ? "cold, kept elsewhere" : of.final ? "final" : "not merged yet"}` : of.partition ?? `${of.type}, ${of.partitions} partitions`),
      h("span.quiet", {}, ` ${of.events === null ? "" : `${short(of.events)} events`} ${of.bytes ? bytes(of.bytes) : ""}`));
    Object.assign(tip.style, { left: `${Math.min(event.offsetX + 12, box.clientWidth - 320)}px`, top: `${event.offsetY + 18}px` });
  }
}

/** @param {any} cell */
function choose(cell) {
  if (cell) {
    map.chosen = cell;
    mark();
  }
}

/** Shows the events of the chosen cell: those of its bucket, its types and, unless it is a sum of several, its shard. */
export function open() {
  const cell = map.chosen;
  if (cell) {
    const types = cell.types.length <= TYPES_ASKED ? cell.types.map((/** @type {string} */ type) => type.replace(/[*?]/g, "\\$&")) : state.types;
    const shard = cell.types.length <= TYPES_ASKED ? cell.of : "";
    change({ types, shard, from: iso(cell.from), to: iso(cell.to), since: "", at: "", pick: "", pickwhere: "", view: "events" }, true);
  }
}

/** @param {KeyboardEvent} event */
function arrows(event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const move = moves[event.key];
  if (!move || map.cells.length === 0 || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const here = map.chosen;
  const middle = (/** @type {any} */ { box: of }) => [of.x + of.width / 2, of.y + of.height / 2];
  const [x, y] = here ? middle(here) : [0, 0];
  let best = { cell: null, score: Infinity };
  for (const cell of map.cells) {
    const [dx, dy] = [middle(cell)[0] - x, middle(cell)[1] - y];
    const along = move[0] * dx + move[1] * dy;
    const away = along <= 0.5 ? Infinity : along + 20 * Math.abs(move[0] ? dy : dx);
    const score = here ? away : dy * 1e4 + dx; // at first the one above at the left
    best = score < best.score ? { cell, score } : best;
  }
  choose(best.cell);
  outline.scrollIntoView({ block: "nearest" });
}
