import { colour, surface } from "./dom.js";
import { SECOND, clock, dayText, minuteText, short } from "./format.js";
import { range } from "./range.js";
import { plain } from "./text.js";

const LEFT = 146;
const TOP = 30;
const RIGHT = 14;
const GAP = 12;
const ROW_MAX = 20;
const ROW_MIN = 3;
const FONT = "12px Inter, system-ui, sans-serif";

/**
 * Draws the map: time to the right, below each other the types, and in each its shards.
 * @param {HTMLCanvasElement} canvas @param {any} map @param {string} by
 */
export function draw(canvas, map, by) {
  const on = surface(canvas);
  if (!on || map.types.length === 0) {
    return;
  }
  const { pen, width, height } = on;
  const span = Number(range.to - range.from);
  const x = (/** @type {bigint} */ time) => LEFT + Math.max(0, Math.min(1, Number(time - range.from) / span)) * (width - LEFT - RIGHT);
  axis(pen, x, width);
  const shards = map.types.reduce((/** @type {number} */ sum, /** @type {any} */ of) => sum + of.shards, 0);
  const room = height - TOP - 8 - map.types.length * GAP;
  const high = Math.max(ROW_MIN, Math.min(ROW_MAX, room / shards));
  const tops = new Map();
  let y = TOP;
  for (const of of map.types) {
    const tall = Math.max(of.shards * high, 24);
    label(pen, of, y, of.shards * high, high);
    tops.set(of.type, { y, of });
    y += tall + GAP;
  }
  for (const cell of map.cells) {
    const { y: top, of } = tops.get(cell.type);
    const left = x(cell.from);
    cell.box = { x: left, y: top + cell.shard * high, width: Math.max(x(cell.to) - left - 1, 1), height: high - 1 };
    paint(pen, cell, of, by);
  }
  const chosen = map.cells.find((/** @type {any} */ cell) => cell.name === map.chosen);
  if (chosen) {
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.strokeRect(chosen.box.x, chosen.box.y - 0.5, chosen.box.width, chosen.box.height + 1);
  }
}

/** @param {CanvasRenderingContext2D} pen */
function label(pen, of, y, tall, high) {
  const middle = y + tall / 2;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.font = FONT;
  pen.fillStyle = colour("--text");
  const name = plain(of.type);
  pen.fillText(name.length > 18 ? `${name.slice(0, 17)}…` : name, LEFT - 24, middle - 8);
  pen.fillStyle = colour("--faint");
  pen.fillText(`${short(of.events)} events`, LEFT - 24, middle + 8);
  if (high >= 8) {
    pen.font = "9px 'JetBrains Mono', monospace";
    for (let shard = 0; shard < of.shards; shard++) {
      pen.fillText(String(shard), LEFT - 8, y + shard * high + high / 2);
    }
  }
}

/** @param {CanvasRenderingContext2D} pen */
function paint(pen, cell, of, by) {
  const { x, y, width, height } = cell.box;
  const value = by === "bytes" ? cell.bytes : by === "each" ? cell.bytes / Math.max(cell.events, 1) : cell.events;
  const most = by === "bytes" ? of.mostBytes : by === "each" ? of.mostEach : of.mostEvents;
  const shade = Math.min(4, Math.floor(value / Math.max(most, 1e-9) * 4.999));
  if (cell.state === "open") {
    pen.fillStyle = colour("--map-0");
    pen.fillRect(x, y, width, height);
    pen.strokeStyle = colour("--map-4");
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 0.5), Math.max(height - 1, 0.5));
    return;
  }
  pen.fillStyle = colour(`--map-${shade}`);
  pen.fillRect(x, y, width, height);
  if (cell.state === "sealed" && height > 4) { // not whole yet: a merge writes it once more
    pen.fillStyle = colour("--map-line");
    for (let at = x + width / 4; at < x + width - 2 && width > 8; at += width / 4) {
      pen.fillRect(at, y, 1, height);
    }
  }
}

function axis(pen, x, width) {
  const steps = [60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000, 7_776_000, 31_536_000]
    .map((seconds) => BigInt(seconds) * SECOND);
  const fit = BigInt(Math.max(Math.floor((width - LEFT) / 78), 1));
  const step = steps.find((each) => (range.to - range.from) / each <= fit) ?? steps[steps.length - 1];
  pen.font = FONT;
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  for (let at = (range.from / step + 1n) * step; at < range.to; at += step) {
    const midnight = clock(at).time === "00:00:00";
    pen.fillStyle = colour(midnight ? "--text" : "--faint");
    pen.fillText(midnight ? dayText(at) : minuteText(at), x(at), 18);
  }
}

/** The cell at a place of the canvas. @param {any} map @param {number} x @param {number} y */
export function cellAt(map, x, y) {
  return map.cells.findLast((/** @type {any} */ { box }) =>
    x >= box.x && x <= box.x + box.width + 1 && y >= box.y && y <= box.y + box.height + 1) ?? null;
}
