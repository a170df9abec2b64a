/** Where the map lies in its canvas, in pixels. */
export const MAP = { left: 146, top: 30, right: 14 };
export const FONT = "12px Inter, system-ui, sans-serif";
const HIGH = 16;
const ROWS_MAX = 8;

/** How high the segments are, with the line above them. @param {any} map */
export function segmentsHigh(map) {
  return map.segments.length === 0 ? 8 : 40 + Math.max(Math.min(map.rows, ROWS_MAX), 2) * HIGH;
}

/**
 * Draws segments as bars over time, overlapping ones on separate rows, and the time of open rows.
 * @param {CanvasRenderingContext2D} pen @param {any} map @param {number} top @param {(time: bigint) => number} x
 */
export function drawSegments(pen, map, top, x, width, paintOf) {
  if (map.segments.length === 0) {
    return;
  }
  pen.fillStyle = paintOf("--line");
  pen.fillRect(12, top + 10, width - 24, 1);
  const first = top + 22;
  name(pen, "segments", map.rows > ROWS_MAX ? `${map.segments.length} files, in ${map.rows} rows` : `${map.segments.length} files`, first, paintOf);
  const most = map.segments.reduce((/** @type {number} */ sum, /** @type {any} */ of) => Math.max(sum, of.bytes), 1);
  for (const of of map.segments) {
    const left = x(of.from);
    of.box = { x: left, y: first + Math.min(of.row, ROWS_MAX - 1) * HIGH, width: Math.max(x(of.to) - left - 1, 2), height: HIGH - 4 };
    if (of.damaged) {
      hatch(pen, of.box, paintOf);
      continue;
    }
    if (of.cold) { // an outline: its blocks are elsewhere
      pen.strokeStyle = paintOf("--cold");
      pen.lineWidth = 1.5;
      pen.strokeRect(of.box.x + 0.75, of.box.y + 0.75, Math.max(of.box.width - 1.5, 0.5), of.box.height - 1.5);
    } else {
      pen.fillStyle = paintOf(of.final ? `--map-${of.bytes > most / 8 ? 3 : 2}` : "--map-1");
      pen.fillRect(of.box.x, of.box.y, of.box.width, of.box.height);
    }
    title(pen, of.file.replace(/^0+(?=\w)/, ""), of.box, of.final && !of.cold ? "--map-on" : "--quiet", paintOf);
  }
  const open = map.cells.filter((/** @type {any} */ cell) => cell.state === "open");
  if (open.length > 0) {
    const left = Math.min(...ends(open, "from").map(x));
    const box = { x: left, y: first, width: Math.max(...ends(open, "to").map(x)) - left - 1, height: HIGH - 4 };
    const taken = map.segments.filter((/** @type {any} */ of) => of.box.x < box.x + box.width && of.box.x + of.box.width > box.x);
    box.y += HIGH * Math.min(1 + taken.reduce((/** @type {number} */ row, /** @type {any} */ of) => Math.max(row, of.row), -1), ROWS_MAX - 1);
    pen.strokeStyle = paintOf("--map-4");
    pen.lineWidth = 1;
    pen.strokeRect(box.x + 0.5, box.y + 0.5, Math.max(box.width - 1, 1), box.height - 1);
    title(pen, "open rows", box, "--quiet", paintOf);
  }
}

/** The earliest or latest of some cells; few of twenty thousand are looked at twice. */
function ends(cells, end) {
  const times = cells.map((/** @type {any} */ cell) => cell[end]);
  return [times.reduce((/** @type {bigint} */ a, /** @type {bigint} */ b) => ((end === "from") === (b < a) ? b : a))];
}

/** @param {CanvasRenderingContext2D} pen */
function title(pen, text, box, ink, paintOf) {
  pen.font = "10px 'JetBrains Mono', monospace";
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  if (box.width > pen.measureText(text).width + 10) {
    pen.fillStyle = paintOf(ink);
    pen.fillText(text, box.x + 5, box.y + box.height / 2 + 0.5);
  }
}

/** @param {CanvasRenderingContext2D} pen */
function name(pen, text, below, y, paintOf) {
  pen.font = FONT;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = paintOf("--text");
  pen.fillText(text, MAP.left - 24, y + 6);
  pen.fillStyle = paintOf("--faint");
  pen.fillText(below, MAP.left - 24, y + 22);
}

/** @param {CanvasRenderingContext2D} pen */
export function hatch(pen, { x, y, width, height }, paintOf) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.fillStyle = paintOf("--bar-error");
  pen.fillRect(x, y, width, height);
  pen.strokeStyle = paintOf("--page");
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let at = x - height; at < x + width; at += 6) {
    pen.moveTo(at, y + height);
    pen.lineTo(at + height, y);
  }
  pen.stroke();
  pen.restore();
}
