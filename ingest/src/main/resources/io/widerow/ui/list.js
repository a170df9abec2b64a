// One list of events around a position. It grows at both ends by positions, so that it has neither
// pages nor a limit, and it keeps at most KEPT events.

import { ask, isOld, latest } from "./api.js";
import { isDamage } from "./damage.js";
import { nanos, now } from "./format.js";
import { ERRORS } from "./levels.js";
import { refuse } from "./question.js";
import { both, params, quoted, range } from "./range.js";
import { state } from "./state.js";

const PAGE = 300;
const KEPT = 6000;

/** @typedef {{key: string, time: bigint, event: any, level: string | undefined, late: boolean}} Item */

export const list = {
  items: /** @type {Item[]} */ ([]), atStart: true, atEnd: true, unbounded: false,
  loading: { up: false, down: false }, millis: 0, arrived: /** @type {string | null} */ (null),
  broken: /** @type {Error | null} */ (null), // why it ends where it does, at damage
  asked: 0n, // when the newest events were asked for
};

/** @type {(what: {prepended?: number, dropped?: number, opened?: number | "end"}) => void} */
let changed = () => {};

/** Calls a function after each change. */
export function onList(/** @type {typeof changed} */ listener) {
  changed = listener;
}

/** @param {any} line an event with its level @returns {Item} */
export function item(line) {
  const { "widerow.level": level, ...event } = line;
  return { key: `${event.type}/${event.id}`, time: nanos(event.ts), event, level, late: event["widerow.late"] === true };
}

/**
 * Asks for events on one side of a position.
 * @param {"asc" | "desc"} order
 * @param {Record<string, string | number>} more
 * @param {string} kind
 * @param {{from?: bigint, to?: bigint}} [part] of the range
 */
async function page(order, more, kind, part = {}) {
  /** @type {Item[]} */
  const items = [];
  const limit = more.limit ?? PAGE;
  const asked = params({ order, limit, level: 1, ...more }, { unbounded: list.unbounded, ...part });
  const told = await ask("/v1/query", asked, latest(kind), (line) => {
    if (line.id) {
      items.push(item(line));
    }
  }).catch(stop);
  return { items: order === "desc" ? items.reverse() : items, ended: items.length < Number(limit), ...told };
}

/** An answer that meets damage ends there: what comes before is shown, and why it ends. @param {Error} failure */
function stop(failure) {
  if (!isDamage(failure)) {
    throw failure;
  }
  list.broken = failure;
  refuse(failure);
  return { millis: 0, arrived: null };
}

/** The newest events of the range, at the end of the list. */
export async function openNewest() {
  begin(false);
  list.asked = now() < range.to ? now() : range.to;
  const found = await page("desc", {}, "list");
  Object.assign(list, { items: found.items, atStart: found.ended, atEnd: true, millis: found.millis, arrived: found.arrived });
  changed({ opened: "end" });
}

/** The first events of the range. */
export async function openOldest() {
  begin(false);
  const found = await page("asc", {}, "list");
  Object.assign(list, { items: found.items, atStart: true, atEnd: found.ended, millis: found.millis });
  changed({ opened: 0 });
}

/** The events around a time. @param {bigint} time */
export async function openTime(time) {
  begin(false);
  await around({}, { to: time > range.from ? time : range.from + 1n }, { from: time < range.to ? time : range.to - 1n });
}

/** @param {boolean} unbounded whether the list goes beyond the range */
function begin(unbounded) {
  Object.assign(list, { unbounded, broken: null });
}

/**
 * The events before and after a place, and what lies there.
 * @param {Record<string, string>} more @param {{to?: bigint}} before @param {{from?: bigint}} after @param {...Item} here
 */
async function around(more, before, after, ...here) {
  const limit = PAGE / 2;
  const [up, down] = await Promise.all([page("desc", { limit, ...more }, "list", before), page("asc", { limit, ...more }, "list-2", after)]);
  Object.assign(list, {
    items: [...up.items, ...here, ...down.items], atStart: up.ended, atEnd: down.ended, millis: Math.max(up.millis, down.millis),
  });
  changed({ opened: up.items.length });
}

/**
 * The events around an event, wherever it is. The event itself is in the list also when the filter
 * does not keep it.
 * @param {string} at TYPE/ID
 * @returns {Promise<boolean>} false when there is no such event
 */
export async function openAt(at) {
  const slash = at.lastIndexOf("/");
  const of = new URLSearchParams({ type: at.slice(0, slash) });
  /** @type {Item | null} */
  let here = null;
  await ask(`/v1/events/${encodeURIComponent(at.slice(slash + 1))}`, of, latest("event-at"), (line) => {
    here = item({ ...line.event, "widerow.level": line.level });
  });
  const found = /** @type {Item | null} */ (here);
  if (!found) {
    return false;
  }
  begin(found.time < range.from || found.time >= range.to);
  await around({ after: at }, {}, {}, found);
  return true;
}

/** Gets more at one end, when there is more. @param {"up" | "down"} end */
export async function grow(end) {
  const up = end === "up";
  if (list.loading[end] || (up ? list.atStart : list.atEnd) || list.items.length === 0) {
    return;
  }
  list.loading[end] = true;
  try {
    const last = () => list.items.at(up ? 0 : -1);
    const edge = last();
    const found = await page(up ? "desc" : "asc", { after: edge.key }, `list-${end}`);
    if (last() !== edge) {
      return; // the list was opened elsewhere meanwhile
    }
    if (up) {
      list.items = [...found.items, ...list.items];
      list.atStart = found.ended;
      const over = Math.max(list.items.length - KEPT, 0);
      if (over > 0) {
        list.items.length = KEPT;
        list.atEnd = false;
      }
      changed({ prepended: found.items.length });
    } else {
      append(found.items);
      list.atEnd = found.ended;
    }
  } catch (failure) {
    if (!isOld(failure)) {
      throw failure;
    }
  } finally {
    list.loading[end] = false;
  }
}

/** Adds events at the end, and drops as many at the start as are too many. @param {Item[]} items */
export function append(items) {
  list.items = [...list.items, ...items];
  const over = Math.max(list.items.length - KEPT, 0);
  if (over > 0) {
    list.items = list.items.slice(over);
    list.atStart = false;
  }
  changed({ dropped: over });
}

/** Shows these newest events only. @param {Item[]} items */
export function replace(items) {
  Object.assign(list, { items, atStart: false, atEnd: true });
  changed({ opened: "end" });
}

/** The place of an event in the list, or -1. @param {string} key */
export function indexOf(key) {
  return list.items.findIndex((each) => each.key === key);
}

/**
 * The next event that a condition keeps, from an event on; one question with limit 1.
 * @param {"error" | "find"} what
 * @param {boolean} forward
 * @param {string} from TYPE/ID; empty for the beginning or the end
 * @returns {Promise<string | null>} its key
 */
export async function next(what, forward, from) {
  const condition = what === "error" ? ERRORS : `body icontains ${quoted(state.find)}`;
  const more = { order: forward ? "asc" : "desc", limit: 1, ...(from ? { after: from } : {}) };
  /** @type {string | null} */
  let found = null;
  await ask("/v1/query", params(more, { where: both(state.where, condition) }), latest("next"), (line) => {
    found = line.id ? item(line).key : found;
  });
  return found;
}
