import { Refused, all } from "./api.js";
import { SECOND, iso, nanos, now, parseTime } from "./format.js";
import { change, state } from "./state.js";
import { valueText } from "./text.js";

/** The range of the question, in nanoseconds, and what the store has. */
export const range = {
  from: 0n, to: 0n, said: "", stored: /** @type {any[]} */ ([]),
  refused: /** @type {Refused | null} */ (null), // why the range is still the one before
};

const HOUR = 3600n * SECOND;

/**
 * Makes the range of the URL absolute. Without one it is the last hour, and when nothing lies there,
 * the time of the newest events: an empty page would look broken. An invalid time is refused, and so
 * is every query until it is changed.
 */
export async function settle() {
  const at = now();
  range.said = "";
  range.refused = null;
  if (state.from || state.to || state.since) {
    const to = time("to", at) ?? at;
    Object.assign(range, { to, from: time("from", at) ?? time("since", at) ?? to - HOUR });
    return;
  }
  await look();
  const ends = range.stored.map((type) => nanos(type.last));
  const last = ends.reduce((a, b) => (a > b ? a : b), 0n);
  range.to = at;
  range.from = at - HOUR;
  if (ends.length === 0 || last >= range.from) {
    return;
  }
  range.said = "Nothing came in the last hour: these are the newest events.";
  range.to = (last / (60n * SECOND) + 1n) * 60n * SECOND;
  const begins = range.stored
    .filter((type) => nanos(type.last) > range.to - 12n * HOUR)
    .map((type) => nanos(type.first));
  const first = begins.reduce((a, b) => (a < b ? a : b), last);
  const earliest = range.to - 12n * HOUR;
  range.from = (first > earliest ? first / (60n * SECOND) * 60n * SECOND : earliest);
  change({ from: iso(range.from), to: iso(range.to) });
}

/** A time of the URL; null without one. @param {"from" | "to" | "since"} name @param {bigint} at the current time */
function time(name, at) {
  const found = state[name] ? parseTime(state[name], at) : null;
  if (state[name] && found === null) {
    range.refused = noTime(name, state[name]);
    throw range.refused;
  }
  return found;
}

/** The daemon's words for a time that is none. @param {string} name @param {string} text */
export function noTime(name, text) {
  return new Refused(`${name}: not a time: ${text} (write 15m, 1y, 2026-11-20, 2026-11-20 19:15, 19:15, yesterday, 2026-11-20T19:15:00Z or an epoch)`, 400);
}

/** Moves a range that ends now to the current time. */
export function slide() {
  const by = now() - range.to;
  if (!state.to && by > 0n) {
    range.to += by;
    range.from += by;
  }
}

/** Ticks of 100 ns from the beginning of the Gregorian calendar to that of Unix. */
const GREGORIAN_TICKS = 122_192_928_000_000_000n;

/** A position before all events of an instant: TYPE/ID with the least id. @param {bigint} time */
export function positionOf(time) {
  const hex = (time / 100n + GREGORIAN_TICKS).toString(16).padStart(15, "0");
  return `!/${hex.slice(7)}-${hex.slice(3, 7)}-1${hex.slice(0, 3)}-8080-808080808080`;
}

/** Asks which of the types of the question there are. */
export async function look() {
  range.stored = (await all("/v1/types", new URLSearchParams(state.types.map((type) => ["type", type])))).lines;
}

/**
 * The parameters of the question.
 * @param {Record<string, string | number>} [more]
 * @param {{where?: string, from?: bigint, to?: bigint, unbounded?: boolean, types?: string[], shard?: string}} [other]
 *     instead of what the question says
 */
export function params(more = {}, other = {}) {
  const to = new URLSearchParams();
  (other.types ?? state.types).forEach((type) => to.append("type", type));
  const where = other.where ?? state.where;
  const shard = other.shard ?? state.shard;
  if (shard) {
    to.set("shard", shard);
  }
  if (where.trim()) {
    to.set("where", where);
  }
  if (!other.unbounded) {
    if (range.refused) {
      throw range.refused;
    }
    to.set("from", iso(other.from ?? range.from));
    to.set("to", iso(other.to ?? range.to));
  }
  for (const [name, value] of Object.entries(more)) {
    to.set(name, String(value));
  }
  return to;
}

const STAGE = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60|\bregexp\s+\/(?:[^/\\]|\\.)*\/|[^|])+|^(?=\|)/g;

/** The parts of a filter between pipes; the first is of stored fields, and may be empty. @param {string} where */
export function stages(where) {
  return (where.match(STAGE) ?? []).map((stage) => stage.trim());
}

/** The steps of a filter that parse, and its conditions as one. @param {string} where */
export function parted(where) {
  const all = stages(where).filter((stage) => stage);
  const steps = all.filter((stage) => /^parse\b/.test(stage));
  const conditions = all.filter((stage) => !/^parse\b/.test(stage)).map((stage) => stage.replace(/^where\b\s*/, ""));
  return {
    steps: steps.map((stage) => `| ${stage}`).join(" "),
    condition: conditions.length > 1 ? conditions.map((each) => `(${each})`).join(" and ") : conditions[0] ?? "",
  };
}

/** A filter and another condition, which also tests fields that are parsed. @param {string} where @param {string} condition */
export function both(where, condition) {
  const all = stages(where);
  const last = all.pop() ?? "";
  const before = all.map((stage) => `${stage} | `.trimStart()).join("");
  if (/^parse\b/.test(last)) {
    return `${before}${last} | ${condition}`;
  }
  return before + (!last ? condition : /\bor\b/i.test(last) ? `(${last}) and ${condition}` : `${last} and ${condition}`);
}

const KEYWORDS = new Set(["and", "or", "not", "exists", "in", "is", "null", "contains", "icontains", "has", "true", "false"]);

/** A name as a filter takes it. @param {string} field */
export function nameText(field) {
  const bare = /^[A-Za-z_][\w.\-/@:]*$/.test(field) && !KEYWORDS.has(field.toLowerCase());
  return bare ? field : `\`${field}\``;
}

/** A string as a filter takes it. @param {string} text */
export function quoted(text) {
  const escaped = text.replace(/[\\"\n\r\t\u0000-\u001f]/g, (c) =>
    ({ "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c]
      ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped}"`;
}

/**
 * A test of a field for a value.
 * @param {string} name @param {unknown} value null for events without the field
 * @param {boolean} [not]
 */
export function test(name, value, not = false) {
  const field = nameText(name);
  if (value === null || value === undefined) {
    return `${field} is ${not ? "not " : ""}null`;
  }
  return `${field} ${not ? "!=" : "="} ${typeof value === "string" ? quoted(value) : valueText(value)}`;
}
