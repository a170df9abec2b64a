// Stored text is hostile: it is shown as text only, and what steers the terminal or the direction
// of writing is shown as what it is.

const NAMES = { 0: "NUL", 7: "BEL", 8: "BS", 9: "\t", 27: "ESC", 127: "DEL", 0xfeff: "U+FEFF" };

/** Control characters, and characters that control the direction of text. */
const UNSAFE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/gu;

/** A list of names as one text, for a URL. @param {string[]} names */
export function packed(names) {
  return names.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",");
}

/** The names of such a text. @param {string} text */
export function listed(text) {
  return [...new Set(text.split(",").filter((name) => name))].map((name) => name.replace(/%(25|2C)/gi, decodeURIComponent));
}

/** Longest text of a row, and of the event's own panel. */
export const ROW_CHARS = 600;
export const BODY_CHARS = 20_000;
export const LINES_MAX = 40; // of a wrapped body

/** What stands for a character that is not shown. @param {string} char */
function named(char) {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return NAMES[code] ?? (code < 0x100 ? `x${hex.padStart(2, "0")}` : `U+${hex.padStart(4, "0")}`);
}

/**
 * Parts of a text: visible text unchanged, and the names of invisible characters.
 * @param {string} text
 * @returns {{text: string, control: boolean}[]}
 */
export function parts(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(UNSAFE)) {
    if (match.index > from) {
      found.push({ text: text.slice(from, match.index), control: false });
    }
    found.push({ text: named(match[0]), control: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) {
    found.push({ text: text.slice(from), control: false });
  }
  return found;
}

const COLOURS = /\u001b\[([\d;:]*)m/g;
const STYLES = { 1: "bold", 2: "dim", 3: "italic", 4: "underlined", 7: "reversed" };

/**
 * Parts of a text by the colours that its escape sequences of ANSI give it; `of` has the classes.
 * @param {string} text @returns {{text: string, of: string}[]}
 */
export function coloured(text) {
  const found = [];
  let now = /** @type {Record<string, string>} */ ({});
  let from = 0;
  for (const { index, 0: { length }, 1: codes } of text.matchAll(COLOURS)) {
    found.push({ text: text.slice(from, index), of: Object.values(now).join(".") });
    from = index + length;
    now = recoloured(now, codes.split(/[;:]/).map(Number));
  }
  found.push({ text: text.slice(from), of: Object.values(now).join(".") });
  return found.filter((part) => part.text);
}

/** @param {Record<string, string>} before @param {number[]} codes */
function recoloured(before, codes) {
  let now = before;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code === 38 || code === 48) {
      now = code === 38 && codes[i + 1] === 5 && codes[i + 2] < 16 ? { ...now, ink: `ansi-${codes[i + 2] % 8}` } : now;
      i += codes[i + 1] === 2 ? 4 : 2;
    } else if (code === 0) {
      now = {};
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      now = { ...now, ink: `ansi-${code % 10}` };
    } else if (STYLES[code]) {
      now = { ...now, [code]: `ansi-${STYLES[code]}` };
    } else if (code === 39 || code === 22) {
      now = code === 39 ? { ...now, ink: "ansi-text" } : { ...now, 1: "ansi-text", 2: "ansi-text" };
    }
  }
  return now;
}

/** A text without escape sequences for colours. @param {string} text */
export function uncoloured(text) {
  return text.includes("\u001b[") ? text.replace(COLOURS, "") : text;
}

/** A text with names for invisible characters, for attributes and canvases. @param {string} text */
export function plain(text) {
  return parts(text).map((part) => part.text).join("");
}

/** Begins the strings that stand for numbers while JSON is read or written. No stored text can know it. */
const MARK = `${Math.random()}:`.slice(2);
const MARKED = new RegExp(`"${MARK}([^"]+)"`, "g");
const LARGE = /(?:^|[\s:,[])-?[1-9]\d{15}/;
const TOKENS = /"(?:[^"\\]+|\\.)*"|-?[\d.]+(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON. Whole numbers beyond 2^53, which a double may round, are of the type bigint; all others are numbers.
 * @param {string} text @returns {any}
 */
export function parsed(text) {
  const rounded = JSON.parse(text);
  if (!LARGE.test(text)) {
    return rounded;
  }
  const marked = text.replace(TOKENS, (token) => (/^-?[1-9]\d{15,}$/.test(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(MARK) ? whole(value.slice(MARK.length)) : value));
}

/** @param {string} digits */
function whole(digits) {
  const number = Number(digits);
  return Math.abs(number) <= 2 ** 53 && String(number) === digits ? number : BigInt(digits);
}

/** @param {unknown} value */
export function isNumber(value) {
  return typeof value === "number" || typeof value === "bigint";
}

/**
 * A number with the digits that it has. A double beyond 2^53 has an exponent, as in answers: a filter takes it for a double, and
 * nobody for a whole number with these digits.
 * @param {number | bigint} number
 */
export function numberText(number) {
  return typeof number === "number" && Math.abs(number) > 2 ** 53 ? number.toExponential() : String(number);
}

/** A value as JSON, its numbers as they are. @param {unknown} value @returns {string} */
export function json(value) {
  return JSON.stringify(value, (_, each) => (isNumber(each) ? MARK + numberText(each) : each)).replace(MARKED, "$1");
}

/** The value of an attribute as text. @param {any} value */
export function valueText(value) {
  return typeof value === "string" ? value : isNumber(value) ? numberText(value) : json(value);
}

/** The value of an attribute as text that is seen also when it is empty. @param {unknown} value */
export function said(value) {
  return value === "" ? '""' : valueText(value);
}

/**
 * Where a text has another, in any case.
 * @param {string} text
 * @param {string} find
 * @returns {number[]} indexes
 */
export function places(text, find) {
  const found = [];
  if (find) {
    const lower = text.toLowerCase();
    const wanted = find.toLowerCase();
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
      found.push(at);
    }
  }
  return found;
}

const NAMED = new Set(["id", "ts", "type", "body", "level", "widerow.late"]);

/** What stands in the column of the body: of an event without one, its attributes. @param {any} event */
export function bodyOf(event) {
  if (event.body !== undefined) {
    return valueText(event.body);
  }
  return Object.entries(event).filter(([name]) => !NAMED.has(name))
    .map(([field, value]) => `${field}=${valueText(value)}`).join("  ");
}

/** How many lines a wrapped body has. @param {any} event @param {number} chars of a line */
export function linesOf(event, chars) {
  const shownPart = uncoloured(bodyOf(event)).trimEnd().slice(0, chars * LINES_MAX);
  const lines = shownPart.split("\n").reduce((sum, line) => sum + (Math.ceil(line.length / chars) || 1), 0);
  return Math.min(lines, LINES_MAX);
}
