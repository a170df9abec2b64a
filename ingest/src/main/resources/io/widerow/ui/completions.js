// What may come next in the filter: fields, operators and values of the last answer, and earlier
// filters while it is empty. Nothing is asked of the daemon while somebody types.

import { fill, h, shown } from "./dom.js";
import { isLevel, known } from "./facets.js";
import { closeOthers, register } from "./popovers.js";
import { nameText, quoted } from "./range.js";
import { plain, valueText } from "./text.js";

const SHOWN = 10;
const NAME = "(?:[A-Za-z_][\\w.\\-/@:]*|\\x60[^\\x60]*\\x60)";
const COMPARED = new RegExp(`(${NAME})\\s*(?:=|!=|<=?|>=?|~|contains|icontains|has)\\s+("[^"]*|[^\\s"()]*)$`);
const NAMED = new RegExp(`(${NAME})\\s+$`);
const BEGUN = /(?:^|[\s(])([A-Za-z_\x60][^\s()"]*|)$/;
const PIPED = /\|\s*((?:parse\b\s*)?(?:as\b\s*)?\w*)$/;
const PARSED = ["json", "logfmt", "nginx", "clf", "haproxy", "syslog", "postgres csv"].map((format) => `parse as ${format} `);
const WORDS = ["and", "or", "| parse as"];
const OF_TEXT = ["=", "!=", "contains", "icontains", "has", "~", "is not null"];
const OF_NUMBER = ["=", "!=", ">=", "<=", ">", "<", "is not null"];
const OF_LEVEL = ["=", ">=", "<=", "!=", "is not null"];
const OTHERS = [{ field: "body", kind: "string", values: [] }];

export const element = h("div.offers", { test: "offers", role: "listbox", id: "offers", "aria-label": "what may come next", hidden: true });
let input = /** @type {HTMLInputElement} */ (h("input"));
let offers = /** @type {{from: number, texts: string[]}} */ ({ from: 0, texts: [] });
let chosen = -1;

/** @param {HTMLInputElement} filter @param {() => string[]} earlier filters */
export function start(filter, earlier) {
  input = filter;
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", "offers");
  input.addEventListener("input", () => open(next(input.value.slice(0, input.selectionStart ?? 0))));
  input.addEventListener("focus", () => open(input.value ? { from: 0, texts: [] } : { from: 0, texts: [...earlier(), ...fields("")] }));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", pressed);
  register(element, input, close);
}

/** @param {string} begun */
function fields(begun) {
  const all = [...known.fields, ...OTHERS.filter((other) => known.fields.every((field) => field.field !== other.field))];
  return all.filter((field) => field.field !== "type" && nameText(field.field).startsWith(begun)).map((field) => `${nameText(field.field)} `);
}

/** @param {string} name as the filter has it */
function named(name) {
  return [...known.fields, ...OTHERS].find((field) => nameText(field.field) === name);
}

/** What may come next after a text. @param {string} before @returns {typeof offers} */
function next(before) {
  const [, stage] = PIPED.exec(before) ?? [];
  if (stage !== undefined) {
    return { from: before.length - stage.length, texts: PARSED.filter((text) => text.startsWith(stage)) };
  }
  const [, name = "", value = ""] = COMPARED.exec(before) ?? [];
  const compared = named(name);
  if (compared) {
    const texts = compared.values.map((/** @type {any} */ each) => (isLevel(name, each.value) ? each.value : typeof each.value === "string" ? quoted(each.value) : valueText(each.value)));
    const bare = value.replace(/^"/, "");
    return { from: before.length - value.length, texts: texts.filter((/** @type {string} */ text) => text.replace(/^"/, "").startsWith(bare) && text !== value).map((/** @type {string} */ text) => `${text} `) };
  }
  const field = named(NAMED.exec(before)?.[1] ?? "");
  if (field) {
    return { from: before.length, texts: (field.kind === "number" ? OF_NUMBER : field.kind === "level" ? OF_LEVEL : OF_TEXT).map((each) => `${each} `) };
  }
  const begun = BEGUN.exec(before)?.[1];
  if (begun === undefined) {
    return { from: 0, texts: [] };
  }
  const complete = begun === "" && /["\w)]\s+$/.test(before) && !/\b(and|or|not)\s+$/i.test(before);
  return { from: before.length - begun.length, texts: complete ? WORDS.map((word) => `${word} `) : fields(begun) };
}

/** @param {typeof offers} found */
function open(found) {
  offers = { from: found.from, texts: [...new Set(found.texts)].slice(0, SHOWN) };
  chosen = -1;
  show();
}

/** Offers nothing until more is typed. */
export function close() {
  open({ from: 0, texts: [] });
}

function show() {
  element.hidden = offers.texts.length === 0;
  input.setAttribute("aria-expanded", String(!element.hidden));
  if (!element.hidden) {
    closeOthers(element);
  }
  input.setAttribute("aria-activedescendant", chosen < 0 ? "" : `offer-${chosen}`);
  fill(element, ...offers.texts.map((text, i) => h("div.offer", {
    test: "offer", role: "option", id: `offer-${i}`, "aria-selected": String(i === chosen), title: plain(text),
    onpointerdown: (/** @type {Event} */ event) => { event.preventDefault(); take(i); },
  }, ...shown(text))));
}

/** @param {number} i */
function take(i) {
  const end = input.selectionStart ?? input.value.length;
  const rest = input.value.slice(end);
  const text = input.value.slice(0, offers.from) + offers.texts[i];
  input.value = text + rest;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(new Event("input"));
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const count = offers.texts.length;
  if (by && count > 0) {
    chosen = (chosen + by + count + (chosen < 0 && by < 0 ? 1 : 0)) % count;
    show();
  } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
    take(chosen);
  } else {
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
}
