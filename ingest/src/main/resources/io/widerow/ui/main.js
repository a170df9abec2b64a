import { all, isOld, whenTokenIsWanted, Refused } from "./api.js";
import { start as startDamage } from "./damage.js";
import { fill, h, key } from "./dom.js";
import * as event from "./event.js";
import * as facets from "./facets.js";
import * as find from "./find.js";
import * as follow from "./follow.js";
import { clock, whole } from "./format.js";
import * as health from "./health.js";
import * as keys from "./keys.js";
import { indexOf, list, next, openAt, openNewest, openTime } from "./list.js";
import { loggedIn, login } from "./login.js";
import { element as paper } from "./paper.js";
import * as question from "./question.js";
import { start as startRail } from "./rail.js";
import { range, settle } from "./range.js";
import * as rows from "./rows.js";
import { QUESTION, change, onChange, state } from "./state.js";
import * as strip from "./strip.js";
import { start as startHand } from "./strip-hand.js";
import { bind } from "./bind.js";
import { welcome, nothing } from "./empty.js";

const SAID_MILLIS = 4000;
const TABS = [["events", "Events", "v", "tab-events"], ["aggregates", "Aggregates", "a", "tab-aggregates"], ["differences", "Differences", "d", "tab-why"], ["layout", "Layout", "l", "tab-layout"], ["series", "Series", "s", "tab-series"]];
const HINTS = [["/", "filter"], ["j k", "event"], ["e", "next error"], ["n", "next match"], ["c", "context"], ["?", "keys"]];
const told = h("span.told");
const status = h("footer.status", { test: "status" }, told, h("span.space"), find.element,
  ...HINTS.map(([names, does]) => h("span.hint", {}, ...names.split(" ").map(key), ` ${does}`)));
const tabs = TABS.map(([view, name, letter, test]) =>
  h("button.tab", { test, role: "tab", onclick: () => change({ view }, true) }, name, " ", key(letter)));
const events = h("main.events", {}, facets.element, rows.element, event.element);

/** Runs a question and tells its failure; one that was replaced by a newer one tells nothing. */
async function run(/** @type {() => Promise<unknown>} */ asks, clears = true) {
  try {
    await asks();
    if (clears) {
      question.refuse(list.broken);
    }
    return true;
  } catch (failure) {
    if (!isOld(failure)) {
      question.refuse(failure instanceof Error ? failure : new Refused(String(failure), 0));
    }
    return false;
  }
}

/** The views that are loaded after the first rows. */
let views = /** @type {Record<string, any> | null} */ (null);
async function otherViews() {
  if (!views) {
    ({ views } = await import("./views.js"));
    status.before(...Object.values(views).map((view) => view.element));
  }
  return views;
}

let asked = 0;

/** Asks the question of the state: bars, list and fields at the same time. Only the last one follows. */
async function ask() {
  const mine = ++asked;
  follow.set(false);
  const done = await run(async () => {
    await settle().finally(question.show);
    const opening = open();
    await Promise.all([strip.load(), opening]);
    tell();
    await emptiness();
    if (state.tail && mine === asked) {
      await follows();
    }
    await facets.load(strip.strip, list.items);
  });
  tell();
  showView(done);
  document.documentElement.dataset.ready = "true";
  void run(otherViews, false);
}

/** Follows from the newest events on, or stops, as the state says. */
async function follows() {
  if (state.tail && !list.atEnd) {
    await openNewest();
  }
  follow.set(state.tail);
}

/** Following goes on from now, so a range that has ended, or is none, gives way to the last hour. */
function toggleFollow() {
  const ended = state.to || range.refused ? { from: "", to: "", since: "1h" } : {};
  change(state.tail ? { tail: false } : { tail: true, at: "", ...ended }, true);
}

async function open() {
  if (state.at && await openAt(state.at)) {
    return;
  }
  await (state.pick && strip.pick() && !state.at ? openTime(strip.pick().from) : openNewest());
}

async function emptiness() {
  rows.say();
  if (list.items.length > 0 || list.broken) {
    return;
  }
  const stored = (await all("/v1/types", new URLSearchParams())).lines;
  rows.say(...(stored.length === 0 ? welcome() : await nothing()));
}

function tell() {
  const at = list.items[indexOf(state.at)]?.time ?? strip.strip.at;
  const when = at === null || at === undefined ? null : clock(at);
  fill(told,
    h("span", {}, h("b", {}, whole(strip.strip.total)), strip.strip.lost.size > 0 ? " events that can be read" : " events, exact order"),
    when ? h("span", {}, "at ", h("b", {}, `${when.time}.${when.nanos}`)) : null,
    h("span.cost", {}, `list ${Math.round(list.millis)} ms, bars ${Math.round(strip.strip.millis)} ms`),
    range.said || follow.follow.gap ? h("span.said", {}, range.said || follow.follow.gap) : null);
}

/** @param {boolean} [clears] true to remove the message of an earlier refusal */
function showView(clears) {
  TABS.forEach(([view], i) => tabs[i].setAttribute("aria-selected", String(state.view === view)));
  events.hidden = state.view !== "events";
  Object.entries(views ?? {}).forEach(([view, { element }]) => { element.hidden = state.view !== view; });
  if (state.view === "events") {
    rows.layOut();
  } else {
    void run(async () => {
      const view = (await otherViews())[state.view];
      if (view) {
        view.element.hidden = false;
        await view.load();
      }
    }, clears);
  }
}

/** @param {"error" | "find"} what @param {boolean} forward */
function jump(what, forward) {
  void run(async () => {
    if (what === "find" && !state.find) {
      find.show();
      return;
    }
    const found = await next(what, forward, state.at || rows.sight.key);
    range.said = found ? "" : `no ${what === "error" ? "error" : "match"} ${forward ? "after" : "before"} this one`;
    await (found ? goTo(found) : tell());
  });
}

/** @param {string} at TYPE/ID */
async function goTo(at) {
  change({ at });
  if (indexOf(at) < 0) {
    await openAt(at);
  }
  rows.select(indexOf(at));
  if (event.isOpen()) {
    await event.open();
  }
  tell();
}

function context() {
  void (state.at && change(state.where || state.shard ? { where: "", shard: "" } : { types: [] }, true));
}

function step(/** @type {number} */ by) {
  if (by < 0) {
    follow.hold(true);
  }
  rows.step(by);
  if (event.isOpen()) {
    void event.open();
  }
  tell();
}

function leave() {
  question.refuse(null);
  question.closeRanges();
  find.element.hidden = true;
  if (event.isOpen()) {
    event.close();
    rows.layOut();
  } else if (state.pick) {
    strip.unpick();
  }
}

onChange((changed) => {
  const has = (/** @type {string[]} */ ...names) => names.some((name) => changed.has(name));
  if (has(...QUESTION)) {
    void ask();
  } else {
    if (has("tail")) {
      void run(follows);
    }
    if (has("view", "expr", "stats", "by", "limit", "rate", "trace") || has("tail") && state.view === "layout") {
      showView(true);
    } else if (has("pick", "pickwhere") && state.view === "differences") {
      showView(true);
    }
    if (has("at") && indexOf(state.at) < 0 && state.at) {
      void run(() => openAt(state.at));
    }
    if (has("cols", "widths", "wrap", "tz", "find", "pick", "ansi")) {
      rows.layOut();
      strip.redraw();
    }
    facets.showSwitches();
    void (has("heat") && run(strip.load));
    if (has("map", "tz")) {
      Object.values(views ?? {}).forEach((view) => view.repaint?.());
    }
    void (has("cols") && run(() => facets.load(strip.strip, list.items)));
    question.show();
    tell();
  }
});

async function begin() {
  whenTokenIsWanted(login, loggedIn);
  document.body.append(
    h("header.title", {}, h("span.logo", { "aria-hidden": "true" }), h("h1", {}, "Widerow"), h("nav", { role: "tablist" }, ...tabs), h("span.space"),
      health.element, h("button.link.keys-link", { test: "keys-button", onclick: keys.toggle }, key("?"), " keys")),
    question.element, strip.element, events, status, keys.element, paper);
  const goToTime = (/** @type {bigint} */ time) => { change({ at: "" }); void run(() => openTime(time)).then(tell); };
  strip.start({ different: () => change({ view: "differences" }, true) });
  startHand(goToTime);
  startRail(goToTime);
  startDamage(goToTime);
  rows.start({ held: () => follow.hold(true), failed: question.refuse, opened: () => void event.open().then(() => { rows.layOut(); rows.reveal(indexOf(state.at)); }) });
  find.start(() => jump("find", true));
  event.start({ context, say: (text) => { range.said = text; tell(); setTimeout(() => { range.said = range.said === text ? "" : range.said; tell(); }, SAID_MILLIS); } });
  question.start({ follow: toggleFollow });
  follow.start({ tell: (text) => {
    question.following(text, follow.follow.seen, follow.follow.behind);
    tell();
  } });
  bind({ run, jump, step, context, leave, toggleFollow, tell, goTo, shown: () => views?.[state.view] });
  await run(() => all("/v1/self", new URLSearchParams()));
  health.start();
  await ask();
}

void begin();
