// Follows what comes. The position lies in the store: each question is for the events after the last
// one shown, and for those before it that have arrived since. So a page that holds still, or that
// nobody sees, asks for nothing and loses nothing.

import { Refused, all, isOld, latest } from "./api.js";
import { isDamage } from "./damage.js";
import { whenSeen } from "./dom.js";
import { iso, now, whole } from "./format.js";
import { append, item, list, replace } from "./list.js";
import { params, positionOf, slide } from "./range.js";
import { count, goOn, load as loadStrip, redraw, strip } from "./strip.js";
import { change, state } from "./state.js";

const PAUSE_MILLIS = 250;
const AWAY_MILLIS = 1000;
const SLIDE_MILLIS = 3000;
const SPARE = 100; // repeated requests take a hundredth of the time
const LIMIT = 5000;
const NEWEST = 300;

export const follow = { on: false, held: false, seen: 0, behind: 0, away: 0, rate: 0, gap: "" };

let after = "";
let arrived = "";
let timer = 0;
let lags = /** @type {bigint[]} */ ([]); // of full answers in a row
let flooded = false;
let told = (/** @type {string} */ _text) => {};
let moment = { at: 0, seen: 0, slid: 0 };

/** @param {{tell: (text: string) => void}} on */
export function start(on) {
  told = on.tell;
  whenSeen(() => follow.on && void (follow.held ? behind() : poll()));
}

/** Begins after the last event of the list, or stops. @param {boolean} on */
export function set(on) {
  clearTimeout(timer);
  latest("follow").throwIfAborted();
  Object.assign(follow, { on, held: false, seen: 0, behind: 0, away: 0, rate: 0, gap: "" });
  if (on) {
    after = list.items.at(-1)?.key ?? positionOf(list.asked);
    arrived = list.arrived ?? "";
    moment = { at: performance.now(), seen: 0, slid: performance.now() };
    flooded = false;
    lags = [];
    void poll();
  }
  tell();
}

/** Stops reading, or goes on from the position. @param {boolean} held */
export function hold(held) {
  if (!follow.on || follow.held === held) {
    return;
  }
  follow.held = held;
  clearTimeout(timer);
  follow.behind = 0;
  tell();
  timer = setTimeout(held ? behind : poll, held ? AWAY_MILLIS : 0);
}

/** Asks again and again how far the held list is behind; a count, no event. */
async function behind() {
  let spent = 0;
  try {
    const { lines, millis } = await all("/v1/query", position({ stats: "count", damage: "skip" }), latest("follow"));
    follow.behind = lines[0]?.count ?? 0;
    spent = millis;
    follow.away = 0;
  } catch (failure) {
    if (isOld(failure)) {
      return;
    }
    lost(failure);
  }
  if (follow.held && !document.hidden) {
    tell();
    timer = setTimeout(behind, Math.max(AWAY_MILLIS, spent * SPARE));
  }
}

/** @param {Record<string, string | number>} more */
function position(more) {
  const asked = params({ ...more, after }, { unbounded: true });
  if (arrived) {
    asked.set("arrived", arrived);
  }
  return asked;
}

async function poll() {
  try {
    if (flooded) {
      await newest();
    } else {
      take(await all("/v1/query", position({ limit: LIMIT, level: 1 }), latest("follow")));
    }
    follow.away = 0;
  } catch (failure) {
    if (isOld(failure)) {
      return;
    }
    lost(failure);
  }
  rate();
  tell();
  await slideOn();
  if (follow.on && !follow.held && !document.hidden) {
    timer = setTimeout(poll, follow.away || flooded ? AWAY_MILLIS : lags.length > 0 ? 0 : PAUSE_MILLIS);
  }
}

/** Shows the newest events, until nothing is missing between them. */
async function newest() {
  const last = list.items.at(-1)?.key;
  const asked = params({ order: "desc", limit: NEWEST, level: 1 }, { unbounded: true });
  const { lines, arrived: at } = await all("/v1/query", asked, latest("follow"));
  const items = lines.filter((line) => line.id).map(item).reverse();
  flooded = !items.some((each) => each.key === last);
  arrived = at ?? arrived;
  after = items.at(-1)?.key ?? after;
  replace(items);
}

/** Requests the bars again. New events are counted here, so the more expensive the request, the rarer it is. */
async function slideOn() {
  const pause = Math.max(SLIDE_MILLIS, strip.millis * SPARE);
  if (follow.on && !follow.held && !follow.away && performance.now() - moment.slid > pause) {
    moment.slid = performance.now();
    slide();
    await loadStrip().catch(lost);
  }
}

/** @param {{lines: any[], arrived: string | null}} answer */
function take(answer) {
  const events = answer.lines.filter((line) => line.id);
  const token = answer.lines.find((line) => line.token)?.token;
  after = token ?? after;
  arrived = answer.arrived ?? arrived;
  const items = events.map(item);
  look(items.filter((each) => !each.late));
  if (items.length === 0) {
    return;
  }
  slide();
  goOn();
  items.forEach((each) => count(each.time, each.level));
  follow.seen += items.length;
  append(items);
  redraw();
}

/** Full answers that end longer and longer ago are a flood. @param {import("./list.js").Item[]} items */
function look(items) {
  lags = items.length < LIMIT ? [] : [...lags, now() - items.at(-1).time].slice(-3);
  flooded = lags[2] > lags[0];
}

/** Reports expired or damaged events, and skips them: to the first event left, or to now. @param {any} failure */
function lost(failure) {
  const damage = isDamage(failure);
  if (damage || failure.status === 410) {
    follow.gap = damage ? `nothing shown up to ${iso(now())}: ${failure.message}` : failure.message;
    after = failure.first || positionOf(now());
    arrived = damage ? "" : arrived; // events before the new position are not late
    return;
  }
  follow.away ||= Date.now();
  if (failure instanceof Refused && failure.status !== 0 && failure.status !== 503) {
    change({ tail: false });
    throw failure;
  }
}

function rate() {
  const at = performance.now();
  if (at - moment.at >= 1000) {
    follow.rate = (follow.seen - moment.seen) / (at - moment.at) * 1000;
    moment = { ...moment, at, seen: follow.seen };
  }
}

function tell() {
  told(!follow.on ? "Follow"
    : follow.away ? `away since ${new Date(follow.away).toISOString().slice(11, 19)}`
    : follow.held ? follow.behind > 0 ? `held: ${whole(follow.behind)} behind` : "held"
    : flooded ? "following the newest"
    : follow.rate >= 1 ? `following ${whole(follow.rate)}/s` : "following");
}
