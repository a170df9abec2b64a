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

/** The class of a level: `error`, `warn`, `info`, `debug` or `none`. @param {unknown} level */
export function classOf(level) {
  return typeof level === "string" ? BY_NAME.get(level.toLowerCase()) ?? "none" : "none";
}

/** What a class is called. @param {string} of */
export function className(of) {
  return of === "none" ? "no level" : of;
}

/** A filter for the levels of a class that there are. @param {Iterable<string>} there */
export function errorsOf(there) {
  const found = [...there].filter((level) => classOf(level) === "error");
  const names = found.length > 0 ? found : ["error"];
  return names.length === 1
    ? `level = ${JSON.stringify(names[0])}`
    : `level in (${names.map((name) => JSON.stringify(name)).join(", ")})`;
}
