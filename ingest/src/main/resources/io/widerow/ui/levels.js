// Levels of logs as the daemon finds them, and their classes. A level is never told by colour alone.

const CLASSES = { error: ["error", "critical", "fatal"], warn: ["warn"], info: ["info"], debug: ["debug", "trace"] };
const BY_NAME = new Map(
  Object.entries(CLASSES).flatMap(([of, names]) => names.map((name) => [name, of])));

/** The levels, the lowest first. */
export const LEVELS = ["trace", "debug", "info", "warn", "error", "critical", "fatal"];

/** The classes as they are stacked, the lowest first. */
export const STACK = ["warn", "info", "debug", "none"];

/** Keeps events that are errors. */
export const ERRORS = "level >= error";

/** Keeps the events of a class. */
export const CONDITIONS = { error: ERRORS, warn: "level = warn", info: "level = info", debug: "level <= debug", none: "level = unknown" };

/** How many events a bar has that are no errors. @param {Record<string, number>} bar */
export function volume(bar) {
  return STACK.reduce((sum, of) => sum + bar[of], 0);
}

/** The class of a level: `error`, `warn`, `info`, `debug` or `none`. @param {unknown} level */
export function classOf(level) {
  return BY_NAME.get(level) ?? "none";
}

/** What a class is called. @param {string} of */
export function className(of) {
  return of === "none" ? "no level" : of;
}

/** The level of an event as it was sent, unless that is no word. @param {any} event @param {string | undefined} level */
export function levelText(event, level) {
  return typeof event.level === "string" ? event.level : level ?? event.level;
}
