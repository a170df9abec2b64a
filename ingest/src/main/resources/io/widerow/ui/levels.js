// Levels of logs, by what senders call them. A level is never told by colour alone.

const CLASSES = {
  error: ["error", "err", "fatal", "critical", "crit", "alert", "emerg", "emergency", "panic", "severe"],
  warn: ["warn", "warning"],
  info: ["info", "information", "informational", "notice"],
  debug: ["debug", "trace", "fine", "finer", "finest", "verbose"],
};
const BY_NAME = new Map(
  Object.entries(CLASSES).flatMap(([of, names]) => names.map((name) => [name, of])));

/** The classes as they are stacked, the lowest first. */
export const STACK = ["warn", "info", "debug", "none"];

/** How many events a bar has that are no errors. @param {Record<string, number>} bar */
export function volume(bar) {
  return STACK.reduce((sum, of) => sum + bar[of], 0);
}

/** The class of a level: `error`, `warn`, `info`, `debug` or `none`. @param {unknown} level */
export function classOf(level) {
  return typeof level === "string" ? BY_NAME.get(level.toLowerCase()) ?? "none" : "none";
}

/** What a class is called. @param {string} of */
export function className(of) {
  return of === "none" ? "no level" : of;
}

/** Words in the text of logs whose senders name no level. */
const WORDS = ["ERROR", "FATAL"];
const IN_TEXT = new RegExp(`\\b(${WORDS.join("|")})\\b`);

/** Keeps events whose text says that they are errors, when they have no level. */
export const ERROR_IN_TEXT = `level is null and (${WORDS.map((word) => `body has "${word}"`).join(" or ")})`;

/** The class of an event: by its level, or else by its text. @param {any} event */
export function classOfEvent(event) {
  const text = event.level === undefined && typeof event.body === "string" && IN_TEXT.test(event.body.slice(0, 2000));
  return text ? "error" : classOf(event.level);
}

/**
 * A filter for errors.
 * @param {Iterable<string>} there the levels that there are
 * @param {boolean} texts whether there are events without a level
 */
export function errorsOf(there, texts) {
  const names = [...there].filter((level) => classOf(level) === "error");
  const levels = names.length === 1
    ? `level = ${JSON.stringify(names[0])}`
    : `level in (${names.map((name) => JSON.stringify(name)).join(", ")})`;
  if (!texts) {
    return names.length > 0 ? levels : 'level = "error"';
  }
  return names.length > 0 ? `(${levels} or ${ERROR_IN_TEXT})` : ERROR_IN_TEXT;
}
