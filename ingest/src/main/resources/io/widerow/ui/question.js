import { Refused } from "./api.js";
import { fill, h, key } from "./dom.js";
import { clock, dayText, iso, minuteText, now, parseTime, spanText } from "./format.js";
import * as completions from "./completions.js";
import { element as facets } from "./facets.js";
import { noTime, range } from "./range.js";
import { change, state } from "./state.js";
import * as saved from "./saved.js";
import { closeOthers, register } from "./popovers.js";
import { plain } from "./text.js";

const KEPT = "widerow-questions";
const KEPT_MAX = 50;

const types = /** @type {HTMLInputElement} */ (h("input", {
  test: "types", placeholder: "all", spellcheck: "false", autocomplete: "off", "aria-label": "types, by name or glob", size: "8",
}));
const where = /** @type {HTMLInputElement} */ (h("input", {
  test: "where", placeholder: 'status >= 500 and body contains "timeout"', spellcheck: "false", autocomplete: "off",
  "aria-label": "filter",
}));
const shard = h("button.shard", { test: "shard", hidden: true, title: "one of the parts of a type; click: all of them", onclick: () => change({ shard: "" }, true) });
const colours = h("div.where-colours", { "aria-hidden": "true", "data-decor": "" });
const rangeText = h("span");
const rangeBox = h("button.box.range", { test: "range", "aria-expanded": "false", onclick: toggleRanges }, rangeText);
const tail = h("button.box", { test: "tail", "aria-pressed": "false" }, "Follow ", key("f"));
const fieldsBox = h("button.box.fields", { test: "fields", "aria-expanded": "false", onclick: () => showFields(!facets.classList.contains("open")) }, "Fields");
const refused = h("div.refused", { test: "refused", role: "alert", hidden: true });
const ranges = h("div.menu", { test: "range-menu", hidden: true });
export const element = h("div.question", {},
  h("label.box.types", {}, h("span", {}, "types"), types, shard),
  h("label.box.where", {}, h("span", {}, "where"), h("span.where-in", {}, colours, where), completions.element),
  fieldsBox, rangeBox, tail, saved.element, refused, ranges);

const WORDS = /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\b(and|or|not|exists|in|is|null|contains|icontains|has|parse|as|where)\b|\b(\d[\w.:-]*)|([^"'\w]+|\w+)/gi;

/** @param {{follow: () => void}} on */
export function start(on) {
  saved.start(refuse);
  completions.start(where, kept);
  register(ranges, rangeBox, closeRanges);
  register(facets, fieldsBox, () => showFields(false), () => facets.classList.contains("open"));
  tail.addEventListener("click", on.follow);
  types.addEventListener("keydown", (event) => event.key === "Enter" && ask());
  types.addEventListener("change", ask);
  where.addEventListener("keydown", (event) => event.key === "Enter" && ask());
  where.addEventListener("input", paint);
  where.addEventListener("scroll", paint);
  for (const input of [types, where]) {
    input.addEventListener("keydown", (event) => event.key === "Escape" && input.blur());
  }
}

/** Asks what the inputs say. No question while somebody is typing: Enter asks. */
function ask() {
  completions.close();
  const next = { types: types.value.split(/[\s,]+/).filter((type) => type), where: where.value.trim() };
  const others = next.types.join() !== state.types.join();
  if (next.where !== state.where || others) {
    remember(next.where);
    change(others ? { ...next, shard: "" } : next, true);
  }
}

/** The question row as the state says. */
export function show() {
  if (document.activeElement !== types) {
    types.value = state.types.join(" ");
  }
  if (document.activeElement !== where || where.value.trim() === "") {
    where.value = state.where;
  }
  types.size = Math.max(types.value.length, 4);
  shard.hidden = state.shard === "";
  fill(shard, plain(`shard ${state.shard} ✕`));
  paint();
  const sameDay = dayText(range.from) === dayText(range.to - 1n);
  const seconds = range.to - range.from < 600_000_000_000n;
  const unknown = range.to === 0n || range.refused;
  fill(rangeText, unknown ? h("b", {}, plain(`${state.from || state.since} – ${state.to}`)) : h("b", {}, `${dayText(range.from)} ${minuteText(range.from, seconds)} – ${sameDay ? "" : `${dayText(range.to)} `}${minuteText(range.to, seconds)}`),
    ` ${spanText(range.to - range.from)}  ${state.tz === "utc" ? "UTC" : "local"}`);
  tail.setAttribute("aria-pressed", String(state.tail));
}

/** Colours below the filter, whose own text is transparent. */
function paint() {
  const made = [];
  for (const [text, string, word, number] of where.value.matchAll(WORDS)) {
    made.push(string ? h("i.string", {}, plain(text)) : word ? h("i.word", {}, text) : number ? h("i.number", {}, text) : plain(text));
  }
  fill(colours, ...made);
  colours.style.transform = `translateX(${-where.scrollLeft}px)`;
}

/** @returns {string[]} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} question */
function remember(question) {
  if (question) {
    const all = [question, ...kept().filter((each) => each !== question)].slice(0, KEPT_MAX);
    localStorage.setItem(KEPT, JSON.stringify(all));
  }
}

/** Tells why a question was refused, with its place; the list stays. @param {unknown} failure null when it was not */
export function refuse(failure) {
  refused.hidden = failure === null;
  if (failure !== null) {
    completions.close(); // it would cover why
    const why = failure instanceof Refused ? failure.message : `this page failed: ${failure}`;
    fill(refused, h("pre", {}, plain(why)), h("button.link", { "aria-label": "close", onclick: () => refuse(null) }, "✕"));
  }
}

export function focus() {
  where.focus();
  where.select();
}

function toggleRanges() {
  ranges.hidden = !ranges.hidden;
  rangeBox.setAttribute("aria-expanded", String(!ranges.hidden));
  if (ranges.hidden) {
    return;
  }
  closeOthers(ranges);
  const local = state.tz === "local";
  const ends = [end("from", local), end("to", local)];
  const [from, to] = ends.map((each) => each.input);
  const set = () => {
    const bad = ends.find((each) => each.said() === null);
    if (bad) {
      refuse(noTime(bad.name, bad.input.value));
      return;
    }
    closeRanges();
    change({ from: ends[0].said() ?? "", to: ends[1].said() ?? "", since: "" }, true);
  };
  [from, to].forEach((input) => input.addEventListener("keydown", (event) => event.key === "Enter" && set()));
  const last = (/** @type {string} */ since, /** @type {string} */ name) =>
    h("button", { onclick: () => { closeRanges(); change({ from: "", to: "", since }, true); } }, name);
  fill(ranges,
    h("div.menu-row", {}, last("15m", "15 min"), last("1h", "1 h"), last("6h", "6 h"), last("24h", "24 h"), last("7d", "7 d"), last("30d", "30 d"),
      last("", "newest")),
    h("div.menu-row", {}, from, "–", to, h("button", { onclick: set }, "Set")));
  from.focus();
}

/**
 * An input for an end of the range, in the zone of the page, and what it says in a question: the time itself when it was not
 * edited; the text when it means the same to the daemon, for which a time without a zone is in UTC; null when it is no time.
 * A range that was refused is shown as it was written.
 * @param {"from" | "to"} name @param {boolean} local
 */
function end(name, local) {
  const time = range.refused ? null : range[name];
  const { year, day, time: second, nanos } = clock(time ?? 0n);
  const value = time === null ? state[name] || (name === "to" ? "now" : state.since)
    : `${year}-${day} ${second}.${nanos}`.replace(/\.?0*$/, "");
  const input = /** @type {HTMLInputElement} */ (h("input", { value, size: "24", "aria-label": name }));
  const said = () => {
    const text = input.value.trim();
    const at = now();
    const meant = time !== null && text === value ? time : parseTime(text, at, local);
    return meant === null ? null : meant !== time && meant === parseTime(text, at) ? text : iso(meant);
  };
  return { name, input, said };
}

/** Shows the fields over the list, where a screen is too narrow to have them next to it. @param {boolean} open */
export function showFields(open) {
  facets.classList.toggle("open", open);
  fieldsBox.setAttribute("aria-expanded", String(open));
  if (open) {
    closeOthers(facets);
  }
}

export function closeRanges() {
  ranges.hidden = true;
  rangeBox.setAttribute("aria-expanded", "false");
}

/** What the button of following says. @param {string} text @param {number} seen @param {number} behind */
export function following(text, seen, behind) {
  tail.dataset.seen = String(seen);
  tail.dataset.behind = String(behind);
  fill(tail, text, " ", key("f"));
}
