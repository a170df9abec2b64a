// How the data lies: the wide rows (partitions) by type, shard and bucket, from the catalog.

import { all, latest } from "./api.js";
import { fill, h, key, perFrame, shown } from "./dom.js";
import { bytes, iso, whole } from "./format.js";
import { cellAt, draw } from "./layout-draw.js";
import { parsePartition, fold } from "./partitions.js";
import { range } from "./range.js";
import { change, state } from "./state.js";

const AGAIN_MILLIS = 1000;
const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { test: "map", tabindex: "0", role: "img" }));
const side = h("aside.map-side", { test: "map-side" });
const box = h("div.map-box", {}, canvas);
export const element = h("main.map-view", { hidden: true }, box, side);

const map = { cells: /** @type {any[]} */ ([]), types: /** @type {any[]} */ ([]), chosen: "", folded: "", at: null };
let timer = 0;

canvas.addEventListener("click", (event) => choose(cellAt(map, event.offsetX, event.offsetY)));
canvas.addEventListener("dblclick", open);
canvas.addEventListener("keydown", arrows);
new ResizeObserver(perFrame(repaint)).observe(box);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

/** Asks for the catalog of the range; while following, again each second. */
export async function load() {
  clearTimeout(timer);
  const asked = new URLSearchParams(state.types.map((type) => ["type", type]));
  asked.set("from", iso(range.from));
  asked.set("to", iso(range.to));
  const { lines } = await all("/v1/partitions", asked, latest("map"));
  Object.assign(map, fold(lines.map(parsePartition)));
  repaint();
  if (state.tail && state.view === "layout") {
    timer = setTimeout(() => void load(), AGAIN_MILLIS);
  }
}

/** Draws what is known again. */
export function repaint() {
  if (element.hidden || element.offsetParent === null && map.cells.length === 0) {
    return;
  }
  canvas.style.height = `${Math.max(box.clientHeight - 4, 60 + map.types.length * 28)}px`;
  draw(canvas, map, state.map);
  canvas.dataset.partitions = String(map.cells.reduce((sum, cell) => sum + cell.partitions, 0));
  canvas.dataset.events = String(map.cells.reduce((sum, cell) => sum + cell.events, 0));
  tell();
}

function pair(/** @type {string} */ name, /** @type {string} */ value) {
  return h("div", {}, h("small", {}, name), h("span", {}, value));
}

function tell() {
  const sum = (/** @type {string} */ of) => map.cells.reduce((total, cell) => total + cell[of], 0);
  const events = sum("events");
  const sealed = map.cells.filter((cell) => cell.bytes > 0);
  const each = sealed.reduce((total, cell) => total + cell.bytes, 0) / Math.max(sealed.reduce((total, cell) => total + cell.events, 0), 1);
  const widths = [...new Set(map.cells.map((cell) => cell.width))].sort((a, b) => a - b).map((minutes) => `${minutes} min`);
  const greatest = map.cells.reduce((most, cell) => (cell.events > (most?.events ?? -1) ? cell : most), null);
  canvas.setAttribute("aria-label", `${map.cells.length} wide rows of ${map.types.length} types, ${events} events`
    + (greatest ? `; the greatest is ${greatest.name} with ${greatest.events}` : ""));
  fill(side,
    h("p.big", {}, h("b", {}, whole(sum("partitions"))), " partitions"),
    h("div.pairs-grid", {}, pair("events", whole(events)), pair("on disk", bytes(sum("bytes"))),
      pair("bytes an event, sealed", sealed.length > 0 ? each.toFixed(1) : "–"), pair("widths of buckets", widths.slice(0, 3).join(", ") || "–")),
    map.folded ? h("p.quiet", {}, map.folded) : null,
    chosenPart(),
    h("h3", {}, "Key"),
    h("div.map-key", { test: "map-key" }, "few", ...[0, 1, 2, 3, 4].map((i) => h(`i.shade-${i}`)),
      state.map === "bytes" ? "most bytes of its type" : state.map === "each" ? "most bytes an event" : "most of its type"),
    h("div.map-key", {}, h("i.open"), "open", h("i.sealed"), "sealed", h("i.shade-3"), "final"),
    h("p.quiet", {}, key("b"), " bytes  ", key("B"), " bytes an event"));
}

function chosenPart() {
  const cell = map.cells.find((each) => each.name === map.chosen);
  if (!cell) {
    return h("p.quiet", {}, "Choose a wide row: click, or the arrow keys.");
  }
  const mates = map.cells.filter((each) => each.type === cell.type && each.from === cell.from && each.width === cell.width);
  const mean = mates.reduce((sum, each) => sum + each.events, 0) / mates.length;
  const ratio = cell.events / Math.max(mean, 1);
  return h("div", {},
    h("h3", {}, "Partition"), h("p.mono", { test: "partition" }, ...shown(cell.name)),
    h("div.pairs-grid", {}, pair("events", whole(cell.events)), pair("bytes", bytes(cell.bytes)),
      pair("state", cell.state), pair("weight", cell.weight.toFixed(2))),
    ratio > 1.5 && mates.length > 1 ? h("p", {}, `This shard holds ${ratio.toFixed(1)} times the mean of its bucket.`) : null,
    h("button", { test: "map-open", onclick: open }, "Show its events ", key("↵")));
}

/** @param {any} cell */
function choose(cell) {
  if (cell) {
    map.chosen = cell.name;
    repaint();
  }
}

/** Shows the events of the chosen partition's bucket. */
export function open() {
  const cell = map.cells.find((each) => each.name === map.chosen);
  if (cell) {
    change({ types: [cell.types[0]], from: iso(cell.from), to: iso(cell.to), since: "", at: "", pick: "", pickwhere: "", view: "events" }, true);
  }
}

/** @param {KeyboardEvent} event */
function arrows(event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const move = moves[event.key];
  if (!move || map.cells.length === 0) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  const here = map.cells.find((each) => each.name === map.chosen) ?? map.cells[0];
  const [x, y] = [here.box.x + here.box.width / 2, here.box.y + here.box.height / 2];
  const score = (/** @type {any} */ cell) => {
    const dx = (cell.box.x + cell.box.width / 2 - x) * (move[0] || 0);
    const dy = (cell.box.y + cell.box.height / 2 - y) * (move[1] || 0);
    const along = move[0] ? dx : dy;
    const across = Math.abs(move[0] ? cell.box.y + cell.box.height / 2 - y : cell.box.x + cell.box.width / 2 - x);
    return along <= 0.5 ? Infinity : along + 20 * across;
  };
  const best = map.cells.reduce((a, b) => (score(b) < score(a) ? b : a), here);
  choose(score(best) === Infinity && map.chosen ? null : best);
}
