import * as columns from "./columns.js";
import { fill, h, perFrame, shown, whenDrawnAnew } from "./dom.js";
import { clock, sinceText } from "./format.js";
import { classOf, levelText } from "./levels.js";
import { grow, indexOf, list, onList } from "./list.js";
import { draw as drawRail, element as rail } from "./rail.js";
import { mark as markStrip, pick } from "./strip.js";
import { change, state } from "./state.js";
import { LINES_MAX, ROW_CHARS, bodyOf, isNumber, linesOf, plain, valueText } from "./text.js";

const ROW = 20;
const CHAR = 7.22; // width of a character
const NEAR = 40; // rows from an end at which more is asked for

/** The marked time, from which the second column counts; null for the row before. */
let marked = /** @type {bigint | null} */ (null);
let tops = [0]; // where each row begins, and the last one ends
let wrapChars = 100;
let names = columns.columns();
/** Where the list is to be scrolled to, once it is not hidden by another view. */
let unseen = /** @type {number | "end" | null} */ (null);

const inner = h("div.inner", { role: "presentation" });
const scroller = h("div.scroller", {
  test: "list", role: "rowgroup", tabindex: "0", "aria-label": "events",
}, inner);
const note = h("div.list-note", { hidden: true });
const grid = h("div.grid", { role: "grid", "aria-label": "events", "aria-rowcount": "-1" }, columns.head, h("div.list-body", { role: "presentation" }, scroller, rail));
export const element = h("section.list", {}, grid, note);

/** Whether the end of the list is in sight, and the event where the list stands. */
export const sight = { end: true, key: "" };
let opened = () => {};
let failed = (/** @type {unknown} */ _failure) => {};

/** @param {{opened: () => void, held: () => void, failed: (failure: unknown) => void}} on */
export function start(on) {
  opened = on.opened;
  failed = on.failed;
  columns.start();
  scroller.addEventListener("wheel", (event) => event.deltaY < 0 && on.held(), { passive: true });
  document.addEventListener("selectionchange", () => {
    if (!document.getSelection()?.isCollapsed && scroller.contains(document.getSelection()?.anchorNode ?? null)) {
      on.held();
    }
  });
  scroller.addEventListener("scroll", perFrame(render));
  whenDrawnAnew(scroller, perFrame(layOut));
  onList((what) => {
    note.hidden ||= list.items.length > 0;
    const before = scroller.scrollTop;
    measure();
    if (what.opened !== undefined && list.items.length > 0) {
      performance.mark("rows");
    }
    inner.style.height = `${tops.at(-1)}px`;
    if (what.opened !== undefined) {
      unseen = what.opened;
    } else if (what.prepended) {
      scroller.scrollTop = before + tops[what.prepended];
    } else if (what.dropped && !sight.end) {
      scroller.scrollTop = Math.max(before - what.dropped * ROW, 0);
    } else if (sight.end && state.tail) {
      unseen = "end";
    }
    render();
  });
}

/** Measures and draws again: columns, wrapping or the size have changed. */
export function layOut() {
  names = columns.columns();
  grid.style.setProperty("--columns", columns.grid());
  element.classList.toggle("wrap", state.wrap);
  columns.show(marked !== null);
  const body = /** @type {HTMLElement | undefined} */ (columns.head.children[names.indexOf("body")]);
  wrapChars = Math.max(Math.floor((body?.offsetWidth ?? 0) / CHAR), 20);
  measure();
  inner.style.height = `${tops.at(-1)}px`;
  render();
}

function measure() {
  tops = [0];
  for (const each of list.items) {
    tops.push(tops.at(-1) + (state.wrap ? linesOf(each.event, wrapChars) : 1) * ROW);
  }
}

/** The row at a height. @param {number} y */
function rowAt(y) {
  let low = 0;
  let high = list.items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tops[middle + 1] <= y) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Draws the rows that are seen, and asks for more near an end. */
export function render() {
  if (scroller.clientHeight === 0) {
    if (unseen !== null) {
      stand(list.items.at(unseen === "end" ? -1 : unseen));
    }
    return;
  }
  if (unseen !== null) {
    scroller.scrollTop = Math.max(unseen === "end" ? tops.at(-1) : tops[unseen] - scroller.clientHeight / 2, 0);
    unseen = null;
  }
  const first = rowAt(scroller.scrollTop);
  const last = Math.min(rowAt(scroller.scrollTop + scroller.clientHeight) + 1, list.items.length);
  const chosen = pick();
  const rows = [];
  for (let i = first; i < last; i++) {
    rows.push(row(i, chosen));
  }
  inner.replaceChildren(...rows);
  columns.head.style.transform = `translateX(${-scroller.scrollLeft}px)`;
  sight.end = scroller.scrollTop + scroller.clientHeight >= tops.at(-1) - ROW;
  if (first < NEAR) {
    grow("up").catch(failed);
  }
  if (last > list.items.length - NEAR && !state.tail) {
    grow("down").catch(failed);
  }
  const selected = indexOf(state.at);
  stand(list.items[selected >= first && selected < last ? selected : Math.floor((first + last) / 2)]);
  drawRail(list.items[first]?.time ?? null, list.items[Math.max(last - 1, 0)]?.time ?? null);
}

/** Marks where the list stands. @param {import("./list.js").Item | undefined} item */
function stand(item) {
  sight.key = item?.key ?? "";
  markStrip(item ? item.time : null);
}

/** @param {number} i @param {{from: bigint, to: bigint} | null} chosen */
function row(i, chosen) {
  const { event, time, key, late, level } = list.items[i];
  const of = classOf(level);
  const made = h(`div.row.${of}`, {
    role: "row", test: "row", "data-id": event.id, "data-type": plain(event.type), "aria-selected": String(key === state.at),
    onclick: () => select(i, true),
  }, ...names.map((name) => cell(name, i, event, late)));
  made.style.top = `${tops[i]}px`;
  made.style.height = `${tops[i + 1] - tops[i]}px`;
  made.classList.toggle("chosen", chosen !== null && time >= chosen.from && time < chosen.to);
  return made;
}

/** What an event has in a column. @param {string} name @param {number} i @param {any} event @param {boolean} late */
function cell(name, i, event, late) {
  const { time } = list.items[i];
  switch (name) {
    case "ts": {
      const when = clock(time);
      return h("span.time", { role: "gridcell", title: `${when.year}-${when.day} ${when.time}.${when.nanos}` }, h("i", {}, `${when.day} `), when.time, h("i", {}, `.${when.part}`));
    }
    case "+": {
      const before = marked ?? (i > 0 ? list.items[i - 1].time : null);
      const long = marked === null && before !== null && time - before > 5_000_000_000n;
      return h(`span.since${long ? ".long" : ""}`, { role: "gridcell" }, before === null ? "" : sinceText(time - before));
    }
    case "body":
      return body(event, late);
    default: {
      const value = name === "level" ? levelText(event, list.items[i].level) : event[name];
      const text = value === undefined ? "" : valueText(value).slice(0, ROW_CHARS);
      return h(`span${columns.isOwn(name) ? `.${name}` : isNumber(value) ? ".number" : ""}`, { role: "gridcell", dir: "auto" }, ...shown(text));
    }
  }
}

function body(event, late) {
  const all = bodyOf(event).trimEnd();
  const breaks = state.wrap ? -1 : all.indexOf("\n");
  const line = (breaks < 0 ? all : all.slice(0, breaks)).slice(0, state.wrap ? wrapChars * LINES_MAX : ROW_CHARS);
  const more = breaks < 0 ? 0 : all.slice(breaks).split("\n").length - 1;
  return h(`span.body${event.body === undefined ? ".made" : ""}`, { role: "gridcell", dir: "auto" },
    late ? h("em.late", {}, "late") : null, ...shown(line, state.find),
    more > 0 ? h("em.more", {}, `+${more}`) : null);
}

/** Selects a row. @param {number} i @param {boolean} [open] its panel as well */
export function select(i, open = false) {
  const chosen = list.items[Math.max(0, Math.min(i, list.items.length - 1))];
  if (!chosen) {
    return;
  }
  change({ at: chosen.key });
  reveal(indexOf(chosen.key));
  render();
  if (open) {
    opened();
  }
}

/** Moves the selection. @param {number} by rows */
export function step(by) {
  const at = indexOf(state.at);
  select(at < 0 ? rowAt(scroller.scrollTop + scroller.clientHeight / 2) : at + by);
}

/** Scrolls a row into sight. @param {number} i */
export function reveal(i) {
  if (i >= 0 && scroller.clientHeight === 0) {
    unseen = i;
  } else if (i >= 0 && tops[i] < scroller.scrollTop) {
    scroller.scrollTop = tops[i] - ROW;
  } else if (i >= 0 && tops[i + 1] > scroller.scrollTop + scroller.clientHeight) {
    scroller.scrollTop = tops[i + 1] + ROW - scroller.clientHeight;
  }
}

/** Rows that are seen at once. */
export function pageRows() {
  return Math.max(Math.floor(scroller.clientHeight / ROW) - 2, 1);
}

/** Marks the selected event, or nothing when it is marked already. */
export function toggleMark() {
  const at = indexOf(state.at);
  marked = marked === null && at >= 0 ? list.items[at].time : null;
  layOut();
}

/** The marked time. */
export function markedTime() {
  return marked;
}

export function focus() {
  scroller.focus();
}

/** Says something instead of rows. @param {...(Node | string)} what nothing to say nothing */
export function say(...what) {
  note.hidden = what.length === 0;
  fill(note, ...what);
}
