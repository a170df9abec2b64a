import { axis } from "./axis.js";
import { palette, surface } from "./dom.js";
import { short, sum } from "./format.js";
import { valueOf } from "./partitions.js";
import { range } from "./range.js";
import { FONT, MAP, drawSegments, hatch, segmentsHigh } from "./segments-draw.js";
import { plain } from "./text.js";

const GAP = 12;
const ROW = { most: 20, least: 3, label: 24 };

/** How high the canvas must be to show all. @param {any} map */
export function highOf(map) {
  const rows = map.types.reduce((/** @type {number} */ all, /** @type {any} */ of) => all + Math.max(of.shards * 4, ROW.label) + GAP, 0);
  return MAP.top + rows + segmentsHigh(map);
}

/**
 * Draws the map: time to the right, below each other the types, and in each its shards; then the
 * segments over the same time.
 * @param {HTMLCanvasElement} canvas @param {any} map @param {string} by
 */
export function draw(canvas, map, by) {
  const on = surface(canvas);
  if (!on) {
    return;
  }
  const { pen, width, height } = on;
  const span = Number(range.to - range.from);
  const x = (/** @type {bigint} */ time) => MAP.left + Math.max(0, Math.min(1, Number(time - range.from) / span)) * (width - MAP.left - MAP.right);
  const paintOf = palette();
  pen.font = FONT;
  axis(pen, paintOf, x, (width - MAP.left) / 78, 18);
  if (map.cells.length === 0) {
    pen.textAlign = "left";
    pen.fillText("No wide rows in this range.", MAP.left, 80);
    return;
  }
  const below = segmentsHigh(map);
  const shards = sum(map.types, "shards");
  const room = height - MAP.top - below - map.types.length * GAP;
  const high = Math.max(ROW.least, Math.min(ROW.most, room / shards));
  const tops = new Map();
  let y = MAP.top;
  for (const of of map.types) {
    label(pen, of, y, high, paintOf);
    tops.set(of.type, { y, of });
    y += Math.max(of.shards * high, ROW.label) + GAP;
  }
  for (const cell of map.cells) {
    const { y: top, of } = tops.get(cell.type);
    const left = x(cell.from);
    cell.box = { x: left, y: top + cell.shard * high, width: Math.max(x(cell.to) - left - 1, 1), height: high - (high > 4 ? 1 : 0.5) };
    paint(pen, cell, of, by, paintOf);
  }
  drawSegments(pen, map, Math.max(y, height - below), x, width, paintOf);
}

/** @param {CanvasRenderingContext2D} pen */
function label(pen, of, y, high, paintOf) {
  const tall = of.shards * high;
  const middle = y + Math.max(tall, ROW.label - 4) / 2;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.direction = "ltr";
  pen.font = FONT;
  pen.fillStyle = paintOf("--text");
  const name = [...plain(of.type)];
  let shown = name.join("");
  while (pen.measureText(shown).width > MAP.left - 32) {
    name.length = Math.min(name.length - 1, 30);
    shown = `${name.join("")}…`;
  }
  pen.fillText(shown, MAP.left - 24, middle - 8);
  pen.fillStyle = paintOf("--faint");
  pen.fillText(of.events === 0 ? "" : `${short(of.events)} events`, MAP.left - 24, middle + 8);
  if (high >= 8 && of.shards > 1) {
    pen.font = "9px 'JetBrains Mono', monospace";
    for (let shard = 0; shard < of.shards; shard++) {
      pen.fillText(String(shard), MAP.left - 8, y + shard * high + high / 2);
    }
  }
}

/** @param {CanvasRenderingContext2D} pen */
function paint(pen, cell, of, by, paintOf) {
  const { x, y, width, height } = cell.box;
  const shade = Math.min(4, Math.floor(valueOf(cell, by) / Math.max(of.most[by], 1e-9) * 4.999));
  pen.fillStyle = paintOf(`--map-${cell.state === "cluster" ? 2 : shade}`);
  pen.fillRect(x, y, width, height);
  if (cell.damaged) {
    hatch(pen, cell.box, paintOf);
  } else if (cell.state === "open") {
    pen.strokeStyle = paintOf("--map-edge");
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 0.5), Math.max(height - 1, 0.5));
  } else if (cell.state === "sealed" && height > 4 && width > 2 * cell.files) { // cut into its segments
    pen.fillStyle = paintOf("--map-line");
    for (let i = 1; i < cell.files; i++) {
      pen.fillRect(x + width * i / cell.files, y, 1, height);
    }
  }
  if (cell.cold && !cell.damaged) {
    pen.fillStyle = paintOf("--cold");
    pen.fillRect(x, y + height - Math.min(3, height / 2), width, Math.min(3, height / 2));
  }
  if (cell.late > 0) {
    const size = Math.min(6, width, height);
    pen.fillStyle = paintOf("--late");
    pen.beginPath();
    pen.moveTo(x + width - size, y);
    pen.lineTo(x + width, y);
    pen.lineTo(x + width, y + size);
    pen.fill();
  }
}

/** What lies at a place of the canvas: a cell, or a segment. @param {any} map @param {number} x @param {number} y */
export function at(map, x, y) {
  const there = (/** @type {any} */ { box }) =>
    x >= box.x && x <= box.x + box.width + 1 && y >= box.y && y <= box.y + box.height + 1;
  return map.cells.findLast(there) ?? map.segments.find(there) ?? null;
}
