// Differences of the selected events: a sentence of at most three facts, then a card for each
// field, the most different first.

import { all, ask, latest } from "./api.js";
import { fields as columns } from "./columns.js";
import { isDamage, without } from "./damage.js";
import { between, narrow, number } from "./facets.js";
import { fill, h, shown } from "./dom.js";
import { clock, iso, minuteText, nanos, percent, sinceText, whole } from "./format.js";
import { ERRORS, classOf, levelText } from "./levels.js";
import { both, params, parted, range } from "./range.js";
import { change, state } from "./state.js";
import { pick } from "./strip.js";
import { plain, said, valueText } from "./text.js";

const FEW = 30;
const FACTS = 3;
const FIRST = 10;
const SHOWN = 6;

export const element = h("main.differences", { test: "why", hidden: true });

/** @typedef {{name: string, says: string, chosen: number, rest: number}} Fact */

/** Compares the selection with the rest; without a selection, the events of the filter; without a filter, the errors. */
export async function load() {
  const time = pick();
  const own = parted(state.where);
  const filtered = !state.pickwhere && !time && own.condition !== "";
  const where = filtered ? own.condition : state.pickwhere || (time ? "" : ERRORS);
  const asked = params({ top: 8, budget: "2s", damage: "skip" }, filtered ? { where: own.steps } : {});
  if (where) {
    asked.set("pick", where);
  }
  if (time) {
    asked.set("pickfrom", iso(time.from));
    asked.set("pickto", iso(time.to));
  }
  if (element.childElementCount === 0) {
    fill(element, h("p.say.quiet", {}, "Comparing …"));
  }
  const { lines } = await all("/v1/fields", asked, latest("why"));
  const [head, ...fields] = lines;
  show(head, fields.filter((field) => field.field && field.score >= 0.005), where, time);
  await first(filtered ? "" : where, time);
}

/** @param {any} head @param {any[]} fields @param {string} where @param {{from: bigint, to: bigint} | null} time */
function show(head, fields, where, time) {
  const rest = head.events - head.picked;
  const errors = where !== "" && where === ERRORS;
  const when = time ? `, ${minuteText(time.from)} to ${minuteText(time.to)}` : "";
  const what = errors ? "errors" : where || "all";
  fill(element,
    h("p.say", { test: "say" }, ...sentence(head, fields)),
    h("p.why-legend", {}, h("i.swatch.chosen-bar"), `chosen: ${plain(what)}${when}, ${whole(head.picked)} events`,
      h("i.swatch.rest-bar"), `the rest: ${whole(rest)} events`,
      head.exact ? null : h("span.quiet", {}, `estimated from ${Math.round(head.read * 100)} % of the events`),
      without(head, "span.few"),
      head.picked > 0 && head.picked < FEW ? h("span.few", {}, "these are few: chance alone makes differences") : null),
    h("div.cards", {}, ...fields.map((field) => card(field, head.picked, rest))),
    h("div.first"));
}

/** @param {any} head @param {any[]} fields */
function sentence(head, fields) {
  if (head.picked === 0) {
    return ["No event is chosen. Drag on the bars above, or on the errors below them."];
  }
  if (head.picked === head.events) {
    return ["All events are chosen: there is no rest to compare them with."];
  }
  const facts = fields.map((field) => fact(field, head)).filter((each) => each !== null).slice(0, FACTS);
  if (facts.length === 0) {
    return ["These events have the same values as the rest."];
  }
  return ["Here ", ...facts.flatMap((each, i) => [
    i === 0 ? "" : i === facts.length - 1 ? " and " : ", ",
    h("b", {}, ...shown(`${each.name} ${each.says}`)), " in ", h("b.share", {}, percent(each.chosen)),
    i === 0 ? ` of events (elsewhere ${percent(each.rest)})` : ` (${percent(each.rest)})`]), "."];
}

/** The value, or the run of numbers, that tells the two parts apart best. @returns {Fact | null} */
function fact(field, head) {
  const rest = head.events - head.picked;
  const shares = (/** @type {any} */ of) => ({ chosen: of.picked / head.picked, rest: (of.count - of.picked) / Math.max(rest, 1) });
  let best = /** @type {Fact | null} */ (null);
  const offer = (/** @type {string} */ says, /** @type {number} */ chosen, /** @type {number} */ other) => {
    if (chosen - other > (best ? best.chosen - best.rest : 0.1)) {
      best = { name: field.field, says, chosen, rest: other };
    }
  };
  if (field.bins) {
    let run = { from: 0, chosen: 0, rest: 0 };
    field.bins.forEach((/** @type {any} */ bin, /** @type {number} */ i) => {
      const { chosen, rest: other } = shares(bin);
      run = run.chosen > run.rest ? { from: run.from, chosen: run.chosen + chosen, rest: run.rest + other } : { from: i, chosen, rest: other };
      offer(`is ${number(field.bins[run.from].from)} to ${number(bin.to)}`, run.chosen, run.rest);
    });
  } else {
    field.values.forEach((/** @type {any} */ value) => {
      const { chosen, rest: other } = shares(value);
      offer(`is ${said(value.value).slice(0, 80)}`, chosen, other);
    });
  }
  return best;
}

/** @param {any} field @param {number} picked @param {number} rest */
function card(field, picked, rest) {
  const score = h("i.score", {}, h("i"));
  /** @type {HTMLElement} */ (score.firstChild).style.width = `${field.score * 100}%`;
  return h(`section.card${field.score < 0.1 ? ".alike" : ""}`, { test: "why-field", "data-field": plain(field.field), "data-score": field.score },
    h("h3", {}, h("span", {}, ...shown(field.field)), h("small", {}, `different by ${percent(field.score)} `, score)),
    ...(field.bins ? [pairs(field, picked, rest)]
      : field.values.slice(0, SHOWN).map((/** @type {any} */ value) => row(field, value, picked, rest))));
}

function row(field, value, picked, rest) {
  const chosen = value.picked / Math.max(picked, 1);
  const other = (value.count - value.picked) / Math.max(rest, 1);
  const name = said(value.value);
  const bar = (/** @type {string} */ part, /** @type {number} */ share) => {
    const made = h(`i.${part}`);
    made.style.width = `${share > 0 ? Math.max(share * 100, 1) : 0}%`;
    return made;
  };
  return h("button.pair", {
    title: `${plain(name)}\nonly these events`,
    onclick: () => { narrow(field.field, value.value, false); change({ view: "events" }); },
  }, h("span.pair-name", {}, ...shown(name.slice(0, 80))), h("span.pair-bars", {}, bar("chosen-bar", chosen), bar("rest-bar", other)),
  h("span.pair-share", {}, h("b", {}, percent(chosen)), ` / ${percent(other)}`));
}

/** Numbers as paired bars, each part by its own share. */
function pairs(field, picked, rest) {
  const share = (/** @type {any} */ bin) => [bin.picked / Math.max(picked, 1), (bin.count - bin.picked) / Math.max(rest, 1)];
  const most = Math.max(...field.bins.flatMap(share), 0.0001);
  return h("div.pairs", {}, ...field.bins.map((/** @type {any} */ bin, /** @type {number} */ i) => {
    const [chosen, other] = share(bin).map((of) => of / most * 74);
    const made = h("button.pairs-bin", {
      title: `${number(bin.from)} to ${number(bin.to)}: ${percent(share(bin)[0])} of the chosen, ${percent(share(bin)[1])} of the rest`,
      onclick: () => change({ where: both(state.where, between(field.field, bin)), view: "events" }, true),
    }, h("span.pairs-bars", {}, h("i.rest-bar"), h("i.chosen-bar")), h("small", {}, i % 2 === 0 ? number(bin.from) : ""));
    const [otherBar, chosenBar] = /** @type {HTMLCollectionOf<HTMLElement>} */ (made.children[0].children);
    otherBar.style.height = `${other}px`;
    chosenBar.style.height = `${chosen}px`;
    return made;
  }));
}

/** The first of the chosen events, which are those of the filter and of `where`. @param {string} where @param {{from: bigint, to: bigint} | null} time */
async function first(where, time) {
  /** @type {any[]} */
  const events = [];
  const from = time && time.from > range.from ? time.from : range.from;
  const to = time && time.to < range.to ? time.to : range.to;
  if (from >= to) {
    return;
  }
  const filter = where ? both(state.where, `(${where})`) : state.where;
  await ask("/v1/query", params({ limit: FIRST, level: 1 }, { where: filter, from, to }), latest("why-first"),
    (line) => line.id && events.push(line)).catch((failure) => isDamage(failure) || Promise.reject(failure));
  const box = /** @type {HTMLElement | null} */ (element.querySelector(".first"));
  box?.style.setProperty("--columns", `25ch 11ch 18ch 7ch minmax(30ch, 1fr)${" minmax(8ch, 14ch)".repeat(columns().length)}`);
  if (box && events.length > 0) {
    fill(box, h("h3", {}, "The first of them, in order"), h("div.first-rows", {}, ...events.map((event, i) => line(event, events[i - 1]))));
  }
}

function line(event, before) {
  const when = clock(nanos(event.ts));
  return h(`div.row.${classOf(event["widerow.level"])}`, { onclick: () => change({ at: `${event.type}/${event.id}`, view: "events" }, true) },
    h("span.time", {}, h("i", {}, `${when.day} `), when.time, h("i", {}, `.${when.part}`)),
    h("span.since", {}, before ? sinceText(nanos(event.ts) - nanos(before.ts)) : ""),
    h("span.type", {}, ...shown(event.type)), h("span.level", {}, ...shown(valueText(levelText(event, event["widerow.level"]) ?? ""))),
    h("span.body", {}, ...shown(valueText(event.body ?? "").slice(0, 300))),
    ...columns().map((name) => h("span", {}, ...shown(event[name] === undefined ? "" : valueText(event[name]).slice(0, 100)))));
}
