// Times are BigInt nanoseconds since the Unix epoch, so that none is rounded.

import { state } from "./state.js";

export const SECOND = 1_000_000_000n;
const UNITS = { ns: 1n, us: 1000n, ms: 1_000_000n, s: SECOND, m: 60n * SECOND, h: 3600n * SECOND,
  d: 86_400n * SECOND, w: 604_800n * SECOND, y: 31_536_000n * SECOND };
const DURATION = /^(?:\d{1,18}(?:\.\d{1,18})?(?:ns|us|ms|[smhdwy]))+$/;
const FORM = /^(?:(\d{4}-\d\d-\d\d|today|yesterday)(?:[Tt ](?=\d)|$))?(?:(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,9}|(?= ?[Zz+-])))?)?( ?(?:[Zz]|[+-]\d\d(?::\d\d){0,2}))?)?$/;
const CHARS_MAX = 360;
const LADDER = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600,
  43_200, 86_400, 172_800, 604_800, 2_592_000].map((seconds) => BigInt(seconds) * SECOND);

/** A time of an answer in nanoseconds. @param {string} text RFC 3339 in UTC */
export function nanos(text) {
  const digits = text.length > 20 ? text.slice(20, -1).padEnd(9, "0").slice(0, 9) : "0";
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1_000_000n + BigInt(digits);
}

/** A time as RFC 3339 in UTC, to the nanosecond. @param {bigint} time */
export function iso(time) {
  const below = ((time % SECOND) + SECOND) % SECOND;
  const whole = new Date(Number((time - below) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = below.toString().padStart(9, "0").replace(/0+$/, "");
  return `${whole}${digits ? `.${digits}` : ""}Z`;
}

/** The time now. */
export function now() {
  return BigInt(Date.now()) * 1_000_000n;
}

/**
 * Parses a time as the daemon does (TimeText, LocalTimeText); null when it is none.
 * @param {string} text `now`, `15m` for so long ago, an epoch, `2026-11-20`, `2026-11-20 19:15`, `19:15`, `yesterday`, RFC 3339
 * @param {bigint} [at] the current time
 * @param {boolean} [local] whether a time without a zone is in that of this machine, not in UTC
 * @returns {bigint | null}
 */
export function parseTime(text, at = now(), local = false) {
  const found = text === "now" ? tick(at) : text.length > CHARS_MAX ? null : ago(text, at) ?? epoch(text) ?? calendar(text, at, local);
  return found !== null && BigInt.asIntN(64, found) === found ? found : null;
}

/** @param {string} text @param {bigint} at */
function ago(text, at) {
  const span = DURATION.test(text) ? duration(text) : null;
  return span === null ? null : tick(at - span);
}

/** Start of a tick of 100 ns, the daemon's unit of the current time. @param {bigint} time */
function tick(time) {
  const rest = time % 100n;
  return time - (rest < 0n ? rest + 100n : rest);
}

/** @param {string} text */
function epoch(text) {
  const scale = text.length <= 11 ? SECOND : text.length <= 14 ? 1_000_000n : text.length <= 17 ? 1000n : 1n;
  return /^\d{1,19}$/.test(text) ? BigInt(text) * scale : null;
}

/** @param {string} text @param {bigint} at @param {boolean} local */
function calendar(text, at, local) {
  const form = FORM.exec(text);
  if (!form || !text) {
    return null;
  }
  const [, day = "today", hour = "00", minute = "00", second = "00", part = "", zone] = form;
  const date = /^\d/.test(day) ? day : dayOf(at, local, day);
  const [y, mon, d] = date.split("-").map(Number);
  const parts = /** @type {const} */ ([y, mon - 1, d, Number(hour), Number(minute), Number(second)]);
  const utc = Date.UTC(...parts);
  if (!new Date(utc).toISOString().startsWith(`${date}T${hour.padStart(2, "0")}:${minute}:${second}`)
    || zone && (date !== day || hour.length < 2)) {
    return null; // no such day or time, or one that has no zone
  }
  const millis = local && !zone ? new Date(...parts).getTime() : utc;
  const east = zone ? offset(zone) : 0n;
  return east === null ? null : BigInt(millis) * 1_000_000n + BigInt(part.padEnd(9, "0")) - east;
}

/** Today or yesterday. @param {bigint} at @param {boolean} local @param {string} day */
function dayOf(at, local, day) {
  const date = new Date(Number(at / 1_000_000n));
  const shift = (local ? date.getTimezoneOffset() : 0) + (day === "yesterday" ? 1440 : 0);
  return new Date(date.getTime() - shift * 60_000).toISOString().slice(0, 10);
}

/** How far a zone is ahead of UTC; null beyond 18 hours, or when it is none. @param {string} zone `Z` or `+01:30` */
function offset(zone) {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?/.exec(zone) ?? [];
  const ahead = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return ahead > 64_800 || Number(minutes) > 59 || Number(seconds) > 59 ? null : BigInt(sign === "-" ? -ahead : ahead) * SECOND;
}

/** A duration such as `1h30m` or `1.5d` in nanoseconds, rounded down. @param {string} text */
function duration(text) {
  let sum = 0n; // in units of 10^-18 ns
  for (const [, whole, part = "", unit] of text.matchAll(/(\d+)(?:\.(\d+))?([a-z]+)/g)) {
    sum += BigInt(whole + part.padEnd(18, "0")) * UNITS[unit];
  }
  const nanos = sum / 10n ** 18n;
  return BigInt.asIntN(64, nanos) === nanos ? nanos : null;
}

/** Adds up what each has. @param {any[]} all @param {string} of the member */
export function sum(all, of) {
  return all.reduce((total, each) => total + each[of], 0);
}

/** The finest step with at most so many bars. @param {bigint} span @param {number} bars */
export function stepFor(span, bars) {
  let step = SECOND;
  if (span / BigInt(bars - 2) < SECOND) {
    for (step = 1n; span / step >= BigInt(bars - 2);) {
      const digit = Number(step.toString()[0]);
      step = digit === 2 ? step / 2n * 5n : step * 2n;
    }
    return step;
  }
  return LADDER.find((each) => span / each < BigInt(bars - 2)) ?? (span / BigInt(bars - 2) / UNITS.d + 1n) * UNITS.d;
}

/**
 * A time in parts, in the zone of the page.
 * @param {bigint} time
 */
export function clock(time) {
  const below = ((time % SECOND) + SECOND) % SECOND;
  const date = new Date(Number((time - below) / 1_000_000n));
  const shift = state.tz === "local" ? date.getTimezoneOffset() * 60_000 : 0;
  const text = new Date(date.getTime() - shift).toISOString();
  const digits = below.toString().padStart(9, "0");
  return {
    year: text.slice(0, 4), day: text.slice(5, 10), time: text.slice(11, 19),
    part: digits.endsWith("000") ? digits.slice(0, 6) : digits, nanos: digits,
  };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `24 Nov`, with the year when it is another one. @param {bigint} time */
export function dayText(time) {
  const { year, day } = clock(time);
  const other = Number(year) !== new Date().getUTCFullYear() ? ` ${year}` : "";
  return `${Number(day.slice(3))} ${MONTHS[Number(day.slice(0, 2)) - 1]}${other}`;
}

/** A time to the minute, or to what the step of an axis needs. @param {bigint} time */
export function minuteText(time, withSeconds = false) {
  return clock(time).time.slice(0, withSeconds ? 8 : 5);
}

/** How long, in two digits and a unit. @param {bigint} span */
export function spanText(span) {
  const units = [["d", UNITS.d], ["h", UNITS.h], ["m", UNITS.m], ["s", UNITS.s]];
  for (const [unit, size] of units) {
    if (span >= size) {
      const tenth = Number(span * 10n / size) / 10;
      return `${tenth >= 10 || Number.isInteger(tenth) ? Math.round(tenth) : tenth} ${unit === "m" ? "min" : unit}`;
    }
  }
  return sinceText(span).slice(1);
}

/** The time since the row before, as `+3.3 s`. @param {bigint} span */
export function sinceText(span) {
  if (span === 0n) {
    return "=";
  }
  const size = Number(span < 0n ? -span : span);
  const sign = span < 0n ? "−" : "+";
  const units = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9], ["min", 6e10], ["h", 3.6e12], ["d", 8.64e13]];
  const at = Math.max(units.findLastIndex(([, unit]) => size >= unit), 0);
  const number = size / units[at][1];
  return `${sign}${number < 10 && at > 0 ? number.toFixed(1) : Math.round(number)} ${units[at][0]}`;
}

/** `293 888`, with a thin space. @param {number | bigint} number */
export function whole(number) {
  return (typeof number === "bigint" ? number : Math.round(number)).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

/** `267 k`. @param {number} number */
export function short(number) {
  const units = ["", " k", " M", " G", " T"];
  let at = 0;
  let left = number;
  while (left >= (at === 0 ? 10_000 : 1000) && at < units.length - 1) {
    left /= 1000;
    at++;
  }
  return at === 0 ? whole(left) : `${left >= 100 ? Math.round(left) : Number(left.toPrecision(3))}${units[at]}`;
}

/** `141.7 MB`. @param {number} number */
export function bytes(number) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let left = number;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1000;
    at++;
  }
  return `${at === 0 ? left : left.toFixed(1)} ${units[at]}`;
}

/** A share in percent, `0.4 %`. @param {number} share 0 to 1 */
export function percent(share) {
  const of = share * 100;
  return `${of > 0 && of < 10 ? (of < 0.05 ? "<0.1" : Number(of.toFixed(1))) : Math.round(of)} %`;
}
