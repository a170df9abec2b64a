// A filter as a tree, for other languages. The daemon alone decides what a filter means.

const TOKENS = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\x60([^\x60]*)\x60|(==|!=|<=|>=|!~|[=<>~(),])|([^\s"'\x60=<>~(),|!]+)|(\S))/gy;
const ESCAPES = { n: "\n", r: "\r", t: "\t" };

/** The parts of a list that are divided by commas outside parentheses and quotes. @param {string} list */
export function split(list) {
  const found = [""];
  let depth = 0;
  for (const [part] of list.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60|[^]/g)) {
    depth += part === "(" ? 1 : part === ")" ? -1 : 0;
    if (part === "," && depth === 0) {
      found.push("");
    } else {
      found[found.length - 1] += part;
    }
  }
  return found.map((each) => each.trim()).filter((each) => each);
}

/** A filter as a tree. @param {string} text of one stage */
export function parse(text) {
  const tokens = [...text.replace(/^where\b/, "").matchAll(TOKENS)].map(([, string, tick, sign, bare, bad]) => ({ string, name: tick ?? bare, sign: sign ?? bad, bare }));
  let at = 0;
  const is = (/** @type {string} */ what) => tokens[at]?.bare?.toLowerCase() === what || tokens[at]?.sign === what;
  const take = (/** @type {string} */ what) => is(what) && ++at > 0;
  const list = (/** @type {string} */ of, /** @type {() => any} */ each) => {
    const all = [each()];
    while (take(of)) {
      all.push(each());
    }
    return all.length > 1 ? { [of]: all } : all[0];
  };
  const or = () => list("or", and);
  const and = () => list("and", not);
  const not = () => (take("not") ? { not: not() } : take("(") ? closed(or()) : take("exists") ? { name: tokens[at++]?.name, op: "exists" } : test());
  const closed = (/** @type {any} */ inner) => {
    need(take(")"), "a parenthesis is missing");
    return inner;
  };
  const value = () => {
    const token = tokens[at++];
    need(token && (token.string || token.bare), "a value is missing");
    return token.string ? { quoted: token.string } : { bare: token.bare };
  };
  const test = () => {
    const name = tokens[at++]?.name;
    need(name, "a field is missing");
    if (take("is")) {
      const there = take("not");
      need(take("null"), "null is missing");
      return there ? { name, op: "exists" } : { not: { name, op: "exists" } };
    }
    const no = take("not");
    const op = tokens[at]?.sign ?? tokens[at]?.bare?.toLowerCase() ?? "";
    at++;
    const all = op === "in" ? (need(take("("), "( is missing"), list(",", value)) : op === "exists" ? null : value();
    need(op !== "in" || take(")"), ") is missing");
    const made = { name, op: op === "==" ? "=" : op, values: all?.[","] ?? [all] };
    return no ? { not: made } : made;
  };
  const made = tokens.length > 0 ? or() : { and: [] };
  need(at === tokens.length, "the filter is not complete");
  return made;
}

/** @param {unknown} is @param {string} why */
export function need(is, why) {
  if (!is) {
    throw new Error(why);
  }
}

/** What a string in quotes says. @param {string} quoted @param {boolean} [verbatim] for an expression */
export function unquoted(quoted, verbatim = false) {
  const inner = quoted.slice(1, -1);
  return verbatim ? inner.replace(/\\(["'])/g, "$1") : inner.replace(/\\(?:x([0-9a-fA-F]{2})|([^]))/g, (_, hex, char) => (hex ? String.fromCharCode(parseInt(hex, 16)) : ESCAPES[char] ?? char));
}

/** A text as an expression of RE2. @param {string} text */
export function literal(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
