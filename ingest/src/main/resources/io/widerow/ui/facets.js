import { all, isOld, latest } from "./api.js";
import { without } from "./damage.js";
import { fill, h, key, shown } from "./dom.js";
import { short, whole } from "./format.js";
import { LEVELS, classOf } from "./levels.js";
import { columns, isOwn, toggle } from "./columns.js";
import { both, nameText, params, stages, test } from "./range.js";
import { change, state } from "./state.js";
import { isNumber, numberText, plain, said } from "./text.js";

const SHOWN = 5;
const FIRST = ["type", "level"];

const OWN = new Set(["id", "ts", "type", "body", "widerow.late"]);
const search = /** @type {HTMLInputElement} */ (h("input", {
  test: "field-search", type: "search", placeholder: "find a field", "aria-label": "find a field by its name", autocomplete: "off", spellcheck: "false",
}));
const wrap = h("button", { test: "wrap", onclick: () => change({ wrap: !state.wrap }) }, "Wrap ", key("w"));
const ansi = h("button", { test: "ansi", title: "colours that bodies bring along", onclick: () => change({ ansi: state.ansi ? "" : "off" }) }, "Colours");
const fields = h("div");
export const element = h("aside.facets", { test: "facets", "aria-label": "fields" }, h("div.facets-tools", {}, search, wrap, ansi), fields);

search.addEventListener("input", () => find());
search.addEventListener("keydown", (event) => {
  const [first] = fields.querySelectorAll(".facet:not([hidden]) .facet-name:not(.own)");
  if (event.key === "Enter" && first instanceof HTMLElement) {
    first.click();
  } else if (event.key === "Escape") {
    search.value = "";
    find();
    search.blur();
  }
});

/** Shows the fields whose names have the text that is searched. */
function find() {
  const text = search.value.trim().toLowerCase();
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (fields.querySelectorAll(".facet"))) {
    each.hidden = !(each.dataset.field ?? "").toLowerCase().includes(text);
  }
}

export function focus() {
  search.focus();
  search.select();
}

/** Shows which switches are on. */
export function showSwitches() {
  wrap.setAttribute("aria-pressed", String(state.wrap));
  ansi.setAttribute("aria-pressed", String(state.ansi !== "off"));
}

/** The fields of the last answer, for suggestions. */
export const known = { fields: /** @type {any[]} */ ([]), exact: true };

let bars = { levels: /** @type {Map<unknown, number>} */ (new Map()), total: 0 };

/**
 * Asks which fields the events have, and shows their values. Fields that the filter parses are those of the listed events.
 * @param {typeof bars} counted what the bars say of levels @param {{event: any}[]} listed
 */
export async function load(counted, listed) {
  bars = counted;
  try {
    const [where = "", ...parsed] = stages(state.where);
    const { lines } = await all("/v1/fields", params({ top: 8, damage: "skip" }, { where }), latest("fields"));
    const [head, ...rest] = lines;
    const stored = withLevels(rest.filter((line) => line.field));
    known.fields = parsed.length > 0 ? [...stored, ...parsedFields(listed, new Set(stored.map((field) => field.field)))] : stored;
    known.exact = head.exact;
    show(head, known.fields);
  } catch (failure) {
    if (!isOld(failure)) {
      throw failure;
    }
  }
}

/** Fields that are parsed, with their values. @param {{event: any}[]} listed @param {Set<string>} stored */
function parsedFields(listed, stored) {
  const found = /** @type {Map<string, Map<unknown, number>>} */ (new Map());
  for (const [name, value] of listed.flatMap(({ event }) => Object.entries(event))) {
    if (!stored.has(name) && !OWN.has(name)) {
      const values = found.get(name) ?? new Map();
      found.set(name, values.set(value, (values.get(value) ?? 0) + 1));
    }
  }
  return [...found].map(([field, counts]) => {
    const values = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
    return { field, kind: values.every(({ value }) => isNumber(value)) ? "number" : "string", events: listed.length, distinct: values.length, exact: false, parsed: true, values };
  });
}

/** The fields with the levels of the bars in the place of the attribute of that name. @param {any[]} fields */
function withLevels(fields) {
  const values = [...bars.levels].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
  if (values.length === 0) {
    return fields;
  }
  const events = values.reduce((sum, each) => sum + each.count, 0);
  const level = { field: "level", kind: "level", events, distinct: values.length, exact: true, values };
  const order = (/** @type {any} */ { field }) => (field === "type" ? "" : field); // that of the daemon
  return [...fields.filter((field) => field.field !== "level"), level].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** A level as a filter takes it: a word without quotes. @param {string} name @param {unknown} value */
export function isLevel(name, value) {
  return name === "level" && LEVELS.includes(/** @type {string} */ (value));
}

/** @param {any} head @param {any[]} all */
function show(head, all) {
  const place = (/** @type {any} */ field) =>
    FIRST.includes(field.field) ? FIRST.indexOf(field.field) : field.many || field.bins ? 4 : 3;
  const sorted = [...all].sort((a, b) => place(a) - place(b) || b.events - a.events || (a.field < b.field ? -1 : 1));
  const scale = head.exact ? 1 : 1 / Math.max(head.read, 0.001);
  fill(fields, without(head, "p.facets-note"),
    head.exact ? null : h("p.facets-note", { title: "the answer was due before all was read" }, `estimated from ${Math.round(head.read * 100)} % of the events`),
    ...sorted.map((field) => facet(field, field.exact ? bars.total : field.parsed ? field.events : head.events, field.exact || field.parsed ? 1 : scale)));
  find();
  showSwitches();
}

/** @param {any} field @param {number} events @param {number} scale */
function facet(field, events, scale) {
  const shownValues = field.values.slice(0, SHOWN);
  const many = field.many ? `≈ ${short(field.distinct)} values` : field.distinct > SHOWN ? `${field.distinct} values` : "";
  const column = columns().includes(field.field);
  return h("section.facet", { test: "facet", "data-field": plain(field.field) },
    h("h3", {},
      h(`button.facet-name${isOwn(field.field) ? ".own" : ""}`, {
        title: column ? "remove the column" : "show as a column", "aria-pressed": String(column),
        onclick: () => toggle(field.field),
      }, ...shown(field.field)),
      h("small", {}, [field.parsed ? `of ${field.events} listed` : "", many].filter((part) => part).join(", ")),
      h("button.facet-only", { test: "field-only", title: "only events with this field", "aria-label": `only events with ${plain(field.field)}`, onclick: () => change({ where: both(state.where, `${nameText(field.field)} exists`) }, true) }, "=")),
    field.bins ? histogram(field) : null,
    ...(field.many || field.bins ? [] : shownValues.map((/** @type {any} */ value) => row(field.field, value, events, scale))));
}

/** @param {string} name @param {any} value @param {number} events @param {number} scale */
function row(name, value, events, scale) {
  const of = name === "level" ? `.level-${classOf(value.value)}` : "";
  const bar = h(`span.facet-bar${of}`);
  bar.style.width = `${Math.max(value.count / Math.max(events, 1) * 76, 0.5)}%`;
  const text = said(value.value);
  return h("button.facet-value", {
    test: "facet-value", "data-value": plain(text),
    title: `${plain(text)}\n${whole(value.count * scale)} events. Click: only these. Shift and click: not these.`,
    onclick: (/** @type {MouseEvent} */ event) => choose(name, value.value, event.shiftKey),
  }, bar, h("span.facet-text", { dir: "auto" }, ...shown(text.slice(0, 120))), h("span.facet-count", {}, short(value.count * scale)));
}

/** @param {string} name @param {any} value @param {boolean} not */
function choose(name, value, not) {
  if (isLevel(name, value)) {
    change({ where: both(state.where, `level ${not ? "!=" : "="} ${value}`) }, true);
  } else {
    narrow(name, value, not);
  }
}

/** Only the events with a value, or only those without. @param {string} name @param {unknown} value @param {boolean} not */
export function narrow(name, value, not) {
  if (name === "type" && !not && typeof value === "string" && !/[\s,*?]/.test(value)) {
    change({ types: [value] }, true);
  } else {
    change({ where: both(state.where, test(name, value, not)) }, true);
  }
}

/** Numbers as small bars, and their ends. @param {any} field */
function histogram(field) {
  const most = Math.max(...field.bins.map((/** @type {any} */ bin) => bin.count), 1);
  return h("div.bins", { role: "group", "aria-label": `${plain(field.field)}: ${field.min} to ${field.max}, median ${field.p50}` },
    h("div.bins-bars", {}, ...field.bins.map((/** @type {any} */ bin) => {
      const bar = h("button.bin", {
        title: `${number(bin.from)} to ${number(bin.to)}: ${whole(bin.count)}`,
        onclick: () => change({ where: both(state.where, between(field.field, bin)) }, true),
      });
      bar.style.height = `${Math.max(bin.count / most * 28, 1)}px`;
      return bar;
    })),
    h("div.bins-ends", {}, h("span", {}, number(field.min)), h("span", {}, `median ${number(field.p50)}`), h("span", {}, number(field.max))));
}

/** Where the daemon ends its bins (FieldCounts): the outermost have all that is beyond. */
const OUTERMOST = 2 ** 63;

/** @typedef {{from: number | bigint, to: number | bigint}} Bin of the values from `from` to `to`; of one value when they are equal */

/**
 * A filter for the numbers of some bins, neighbours from the least to the greatest. A bin has its end that is nearer to zero,
 * but for zero itself, which is a bin of its own.
 * @param {string} name @param {Bin} least @param {Bin} [greatest]
 */
export function between(name, least, greatest = least) {
  const field = nameText(name);
  const { from } = least;
  const { to } = greatest;
  if (least === greatest && from === to) {
    return `${field} = ${numberText(from)}`;
  }
  const ends = [
    from === least.to || from > 0 ? `>= ${numberText(from)}` : from > -OUTERMOST ? `> ${numberText(from)}` : "",
    to === greatest.from || to < 0 ? `<= ${numberText(to)}` : to < OUTERMOST ? `< ${numberText(to)}` : "",
  ].filter((end) => end);
  return ends.map((end) => `${field} ${end}`).join(" and ") || `${field} exists`;
}

/** @param {number | bigint} exact */
export function number(exact) {
  const value = Number(exact);
  if (Number.isInteger(value) && Math.abs(value) < 10_000) {
    return String(value);
  }
  return Math.abs(value) >= 10_000 ? short(value) : String(Number(value.toPrecision(3)));
}
