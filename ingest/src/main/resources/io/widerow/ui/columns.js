// The columns of the list: which, in which order and how wide. A head is dragged to move its column,
// its edge to resize it; a head with the focus takes arrow keys. Widths are kept for the next visit.

import { fill, h, shown } from "./dom.js";
import { change, state } from "./state.js";
import { listed, packed, plain } from "./text.js";

const KEPT = "widerow-widths";
const LEAST = 24; // pixels
const MOST = 4000;
const STEP = 16; // by a key
const DRAGGED = 4; // pixels from which a press is a drag

/** The columns that each event has, by their names in the URL: what they are called, and how wide. */
const OWN = {
  ts: ["time", "25ch"], "+": ["since last", "11ch"], type: ["type", "15ch"], level: ["level", "7ch"], body: ["body", "minmax(30ch, 1fr)"],
};
const FIELD = "minmax(8ch, 16ch)";
const NARROW = matchMedia("(max-width: 700px)");
const OF_NARROW = ["ts", "level", "body"];

export const head = h("div.row.head", { role: "row" });
let drag = /** @type {{x: number, wide: number, cell: HTMLElement, name: string, sizes: boolean, moved: boolean, to: number} | null} */ (null);

/** Widths of an earlier visit, unless the URL has some. */
export function start() {
  const kept = localStorage.getItem(KEPT);
  if (kept && !state.widths) {
    change({ widths: kept });
  }
}

/** True for a column that is no field of some events. @param {string} name */
export function isOwn(name) {
  return Object.hasOwn(OWN, name);
}

/** All columns in their order. The URL names all of them, or fields after the columns of every event. */
export function columns() {
  return state.cols.some(isOwn) ? state.cols : [...(NARROW.matches ? OF_NARROW : Object.keys(OWN)), ...state.cols];
}

/** The columns that are fields. */
export function fields() {
  return state.cols.filter((name) => !isOwn(name));
}

/** @param {string[]} all */
function arrange(all) {
  const own = Object.keys(OWN);
  change({ cols: own.every((name, i) => all[i] === name) ? all.slice(own.length) : all });
}

/** Adds a column, or takes it away. @param {string} name */
export function toggle(name) {
  const all = columns();
  arrange(all.includes(name) ? all.filter((each) => each !== name) : [...all, name]);
}

/** Puts a column before another one. @param {string} name @param {number} to its place */
function move(name, to) {
  const rest = columns().filter((each) => each !== name);
  arrange([...rest.slice(0, to), name, ...rest.slice(to)]);
}

/** Widths in pixels of resized columns. */
function widths() {
  const found = listed(state.widths).map((each) => /** @type {[string, number]} */ ([each.slice(0, each.lastIndexOf(":")), Number(each.slice(each.lastIndexOf(":") + 1))]));
  return new Map(found.filter(([, wide]) => wide >= LEAST && wide <= MOST));
}

/** @param {string} name @param {number | null} wide in pixels; null for what fits */
function resize(name, wide) {
  const all = widths();
  all.delete(name);
  if (wide !== null) {
    all.set(name, Math.round(Math.max(LEAST, Math.min(wide, MOST))));
  }
  const text = packed([...all].map(([of, pixels]) => `${of}:${pixels}`));
  localStorage.setItem(KEPT, text);
  change({ widths: text });
}

/** The columns of a grid. @param {string} [name] one that is just being resized @param {number} [wide] */
export function grid(name, wide) {
  const of = widths();
  return columns().map((each) => {
    const pixels = each === name ? wide : of.get(each);
    return pixels === undefined ? (NARROW.matches && each === "ts" ? "13ch" : OWN[each]?.[1] ?? FIELD) : `${Math.max(pixels, LEAST)}px`;
  }).join(" ");
}

/** Builds the heads again. @param {boolean} marked whether times are since a mark */
export function show(marked) {
  fill(head, ...columns().map((name) => cell(name, name === "+" && marked ? "since mark" : OWN[name]?.[0] ?? name)));
}

/** @param {string} name @param {string} title */
function cell(name, title) {
  return h("div.column", {
    role: "columnheader", test: "column", "data-column": plain(name), tabindex: "0",
    title: "drag to move, its edge to resize; or arrow keys, with shift to resize",
    onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event, name),
    onpointerdown: (/** @type {PointerEvent} */ event) => down(event, name), onpointermove: moved, onpointerup: up, onpointercancel: cancel,
  },
  h("span.column-name", {}, ...shown(title)),
  isOwn(name) ? null : h("button.drop", { "aria-label": `remove the column ${plain(name)}`, title: "remove", onclick: () => toggle(name) }, "✕"),
  h("i.grip", { test: "grip", "data-decor": "", ondblclick: () => resize(name, null) }));
}

/** @param {KeyboardEvent} event @param {string} name */
function pressed(event, name) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const at = columns().indexOf(name);
  const here = /** @type {HTMLElement} */ (event.currentTarget);
  if (event.target !== here || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  if (by && event.shiftKey) {
    resize(name, here.offsetWidth + by * STEP);
  } else if (by) {
    move(name, Math.max(at + by, 0));
  } else if (event.key === "Delete" && !isOwn(name)) {
    toggle(name);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  /** @type {HTMLElement | undefined} */ (head.children[Math.max(columns().indexOf(name), 0)])?.focus();
}

/** @param {PointerEvent} event @param {string} name */
function down(event, name) {
  const target = /** @type {HTMLElement} */ (event.target);
  const here = /** @type {HTMLElement} */ (event.currentTarget);
  if (event.button === 0 && !target.matches("button")) {
    here.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, wide: here.offsetWidth, cell: here, name, sizes: target.matches(".grip"), moved: false, to: -1 };
  }
}

/** @param {PointerEvent} event */
function moved(event) {
  const by = drag ? event.clientX - drag.x : 0;
  if (!drag || (!drag.moved && Math.abs(by) < DRAGGED)) {
    return;
  }
  drag.moved = true;
  if (drag.sizes) {
    head.parentElement?.style.setProperty("--columns", grid(drag.name, drag.wide + by));
    return;
  }
  drag.cell.classList.add("moving");
  drag.cell.style.transform = `translateX(${by}px)`;
  const rest = [...head.children].filter((each) => each !== drag?.cell);
  drag.to = rest.filter((each) => middle(each) < event.clientX).length;
  rest.forEach((each, i) => {
    each.classList.toggle("before", i === drag?.to);
    each.classList.toggle("after", i === rest.length - 1 && drag?.to === rest.length);
  });
}

/** @param {Element} of */
function middle(of) {
  const { left, width } = of.getBoundingClientRect();
  return left + width / 2;
}

/** @param {PointerEvent} event */
function up(event) {
  const done = drag;
  cancel();
  if (done?.moved && done.sizes) {
    resize(done.name, done.wide + event.clientX - done.x);
  } else if (done?.moved) {
    move(done.name, done.to);
  }
}

/** Leaves all as it was. */
function cancel() {
  drag?.cell.style.removeProperty("transform");
  [...head.children].forEach((each) => each.classList.remove("moving", "before", "after"));
  head.parentElement?.style.setProperty("--columns", grid());
  drag = null;
}
