// The query of the page as text for other tools: a command, LogQL, PromQL and an alert rule. What a
// language lacks is refused with the reason.

import { literal, need, parse, unquoted } from "./condition.js";
import { iso } from "./format.js";
import { LEVELS } from "./levels.js";
import { range, stages } from "./range.js";
import { state } from "./state.js";

export const FORMS = { command, logql, promql, rule };
export const NAMES = { command: "command", logql: "LogQL", promql: "PromQL", rule: "alert rule" };

const AGGREGATE = /\b(count|bytes|distinct|sum|avg|min|max|p\d+(?:\.\d+)?)\b(?:\s*\(((?:[^()"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\))*)\))?/g;
const NEGATED = { "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "~": "!~", "!~": "~" };
/** The combined format of access logs, as LogQL's parser of patterns takes it. */
const COMBINED = "<client> - <user> [<time>] \"<method> <path> <protocol>\" <status> <bytes> \"<referrer>\" \"<agent>\"";

/** An aggregate without the name of its column. @param {string} item */
function unnamed(item) {
  return item.replace(/\s+as\s+\w+$/i, "");
}

/** True for an aggregate that is 0 without events. @param {string} item */
export function isCount(item) {
  return /^(count|bytes|distinct)\s*(\([^]*\))?$/.test(unnamed(item)) && !/\)\s*[-+*/]/.test(item);
}

/** An aggregate, or its rate. @param {string} item @param {bigint | null} span over which a rate is taken */
export function valueOf(item, span) {
  return span === null ? unnamed(item) : `(${unnamed(item)}) ${span % 1_000_000_000n === 0n ? `/ ${span / 1_000_000_000n}` : `* 1000000000 / ${span}`}`;
}

/** A duration in the greatest unit that has no rest. @param {bigint} span */
function duration(span) {
  const [size, unit] = /** @type {[bigint, string][]} */ ([[3_600_000_000_000n, "h"], [60_000_000_000n, "m"], [1_000_000_000n, "s"]]).find(([each]) => span % each === 0n) ?? [1_000_000n, "ms"];
  return `${span / size}${unit}`;
}

/** @param {string} text as a word of a shell */
function word(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** @typedef {{items: string[], step: bigint, greatest: number, limit: string, by: string[]}} Of what is shown */

/** @param {Of} of */
function command({ items, step, limit, by }) {
  const each = items.map((item, i) => (state.rate || /\)?\s*[-+*/]/.test(unnamed(item)) ? `${valueOf(item, state.rate ? step : null)} as ${/\s+as\s+(\w+)$/i.exec(item)?.[1] ?? `value${i || ""}`}` : item));
  const [, first = each[0]] = / as (\w+)$/.exec(each[0]) ?? [];
  return [
    `./widerow query --url ${location.origin} ${state.types.map(word).join(" ") || "'*'"}`,
    state.from || state.to || !state.since ? `--from ${iso(range.from)} --to ${iso(range.to)}` : `--since ${word(state.since)}`,
    state.where.trim() ? `--where ${word(state.where)}` : "",
    state.shard ? `--shard ${state.shard}` : "",
    `--stats ${word(each.join(", "))}`,
    `--every ${duration(step)}`,
    by.length > 0 ? `--by ${word(state.by)} --order-by ${word(`${first} desc`)} --limit ${limit} --other` : "",
  ].filter((part) => part).join(" \\\n    ");
}

/** @param {Of} of */
function rule(of) {
  let expression;
  let language = "PromQL: in a file of rules-dir";
  try {
    expression = promql(of);
  } catch {
    expression = logql(of);
    language = "LogQL: in a file of rules-dir/loki";
  }
  const name = `${state.types.join(" ") || "events"} ${of.items[0]}`.replace(/\W+/g, "_").replace(/^_|_$/g, "");
  return [
    `# ${language}. The threshold is the greatest value of ${iso(range.from)} to ${iso(range.to)}.`,
    "groups:", "  - name: widerow", "    rules:", `      - alert: ${name}`,
    `        expr: ${JSON.stringify(`${expression} > ${of.greatest}`)}`, "        for: 5m", "",
  ].join("\n");
}

/** A label as LogQL shows a field. @param {string} name */
function labelName(name) {
  return name === "type" ? "service_name" : name === "level" ? "detected_level" : name.replace(/\W/g, "_");
}

/** @param {string} glob */
function globText(glob) {
  return glob.replace(/\\([*?])|([*?])|[^*?\\]+|\\/g, (all, escaped, wild) => (escaped ? `\\${escaped}` : wild ? (wild === "*" ? ".*" : ".") : literal(all)));
}

/** A test for types. @param {string} before the expression @param {string} after */
function types(before = "", after = "") {
  const [one] = state.types;
  return state.types.length === 1 && !/[*?\\]/.test(one) ? `=${JSON.stringify(before + one + after)}`
    : `=~${JSON.stringify(`${before}(?:${state.types.map(globText).join("|") || ".+"})${after}`)}`;
}

/** The expression that finds a text as a test does. @param {string} op @param {{quoted: string}} value */
function expression(op, { quoted }) {
  need(quoted, "a text without quotes");
  return op === "~" ? unquoted(quoted, true) : op === "has" ? `(?:^|\\W)${literal(unquoted(quoted))}(?:\\W|$)` : `${op === "icontains" ? "(?i)" : ""}${literal(unquoted(quoted))}`;
}

/** A test of a label. @param {any} tree @param {boolean} not @returns {string} */
function labelTest(tree, not) {
  const group = tree.and ?? tree.or;
  if (tree.not) {
    return labelTest(tree.not, !not);
  }
  if (group) {
    return `(${group.map((/** @type {any} */ each) => labelTest(each, not)).join(Boolean(tree.and) === not ? " or " : " and ")})`;
  }
  const name = labelName(tree.name);
  const [value] = tree.values ?? [];
  need(!["body", "ts", "id"].includes(tree.name), `${tree.name} in a condition with or`);
  if (tree.op === "exists") {
    return `${name} ${not ? "=" : "!="} ""`;
  }
  if (tree.op === "in") {
    return labelTest({ or: tree.values.map((/** @type {any} */ each) => ({ ...tree, op: "=", values: [each] })) }, not);
  }
  const op = not ? NEGATED[tree.op] ?? tree.op : tree.op;
  if (tree.name === "level" && value.bare && LEVELS.includes(value.bare)) {
    const place = LEVELS.indexOf(value.bare);
    const kept = { "=": [value.bare], "<": LEVELS.slice(0, place), "<=": LEVELS.slice(0, place + 1), ">": LEVELS.slice(place + 1), ">=": LEVELS.slice(place) }[tree.op === "!=" ? "=" : tree.op] ?? [];
    return `${name} ${(tree.op === "!=") !== not ? "!~" : "=~"} "${kept.join("|")}"`;
  }
  if (value.quoted && NEGATED[op] && !op.includes("~")) {
    need(op === "=" || op === "!=", "the order of texts");
    return `${name} ${op} ${JSON.stringify(unquoted(value.quoted))}`;
  }
  if (value.bare && NEGATED[op]) {
    if (/^(true|false|unknown)$/.test(value.bare)) {
      return `${name} ${op} "${value.bare}"`;
    }
    need(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.bare), `the value ${value.bare}`);
    const numeric = `${name} ${op === "=" ? "==" : op} ${value.bare}`;
    return op === "!=" || not ? `(${numeric} or ${name} = "")` : numeric;
  }
  const no = not !== (tree.op === "!~");
  return `${name} ${no ? "!~" : "=~"} ${JSON.stringify(`(?s).*(?:${expression(tree.op === "!~" ? "~" : tree.op, value)}).*`)}`;
}

/** A test of the line. @param {any} tree @param {boolean} not */
function lineTest(tree, not) {
  const [value] = tree.values;
  const no = not !== (tree.op === "!~" || tree.op === "!=");
  if (tree.op === "contains") {
    return `${no ? "!=" : "|="} ${JSON.stringify(unquoted(value.quoted))}`;
  }
  const exact = tree.op === "=" || tree.op === "!=";
  return `${no ? "!~" : "|~"} ${JSON.stringify(exact ? `^${literal(unquoted(value.quoted))}$` : expression(tree.op === "!~" ? "~" : tree.op, value))}`;
}

/** A stage of the filter as stages of LogQL. @param {string} stage */
function stageText(stage) {
  if (/^parse\b/.test(stage)) {
    const [, form = "", of = ""] = /^parse\s+as\s+(json|logfmt|nginx|clf|pattern|regexp)\b\s*(\S[^]*)?$/.exec(stage) ?? [];
    need(form, stage);
    return form === "nginx" || form === "clf" ? [`| pattern ${JSON.stringify(COMBINED)}`]
      : [`| ${form}${form === "pattern" ? ` ${JSON.stringify(of.slice(1, -1))}` : form === "regexp" ? ` ${JSON.stringify(of.slice(1, -1).replaceAll("\\/", "/"))}` : ""}`];
  }
  const tree = parse(stage);
  const all = tree.and ?? [tree];
  const ofLine = (/** @type {any} */ each) => (each.not ?? each).name === "body" && (each.not ?? each).op !== "exists";
  return [...all.filter(ofLine).map((/** @type {any} */ each) => lineTest(each.not ?? each, Boolean(each.not))),
    ...all.filter((/** @type {any} */ each) => !ofLine(each)).map((/** @type {any} */ each) => `| ${labelTest(each, false)}`)];
}

/** What an aggregate is of: a field, and a condition. @param {string} name @param {string} inner */
function operand(name, inner) {
  const [of, condition = ""] = inner.split(/\s+where\s+/);
  const field = /^(?:distinct\s+)?(?:\x60([^\x60]+)\x60|([A-Za-z_][\w.\-/@:]*))$/.exec(of.trim());
  const found = field?.[1] ?? field?.[2] ?? "";
  const counts = name === "count" && !found && of.trim() !== "*" ? of.trim() : "";
  return { field: found, condition: condition || counts, distinct: name === "distinct" || /^distinct\s/.test(of) };
}

/** One aggregate in another language. @param {Of} of @param {(name: string, of: ReturnType<typeof operand>) => string} one */
function translated({ items, step }, one) {
  need(!state.shard, "a shard");
  const item = unnamed(items[0]);
  const made = item.replace(AGGREGATE, (_, name, inner = "") => one(name, operand(name, inner)));
  const seconds = Number(step) / 1e9;
  return state.rate ? `${/[-+*/]\s*\w/.test(item.replace(/\(.*\)/, "")) ? `(${made})` : made} / ${seconds}` : made;
}

/** @param {Of} of */
function logql(of) {
  const kept = stages(state.where).flatMap(stageText);
  const labels = of.by.map(labelName);
  const every = `[${duration(of.step)}]`;
  const grouped = labels.length > 0 ? ` by (${labels.join(", ")})` : "";
  const made = translated(of, (name, { field, condition, distinct }) => {
    const lines = [`{service_name${types()}}`, ...kept, ...(condition ? stageText(condition) : [])].join(" ");
    const label = labelName(field);
    if (distinct) {
      return `count${grouped} (count by (${[...labels, label].join(", ")}) (count_over_time(${lines} | ${label} != "" ${every})))`;
    }
    if (name === "count") {
      return `sum${grouped} (count_over_time(${lines}${field ? ` | ${label} != ""` : ""} ${every}))`;
    }
    need(name !== "bytes", "bytes of events");
    const of = `${lines} | unwrap ${label} ${every}`;
    return /^p\d/.test(name) ? `quantile_over_time(${Number(name.slice(1)) / 100}, ${of}) by (${labels.join(", ")})`
      : name === "avg" ? `avg_over_time(${of}) by (${labels.join(", ")})` : `${name}${grouped} (${name}_over_time(${of}))`;
  });
  return labels.length > 0 ? `topk(${of.limit}, ${made})` : made;
}

/** A condition as matchers: a test of a label, or several. @param {any} tree @param {boolean} [not] @returns {string[]} */
function matchers(tree, not = false) {
  if (tree.and && !not) {
    return tree.and.flatMap((/** @type {any} */ each) => matchers(each));
  }
  if (tree.not) {
    return matchers(tree.not, !not);
  }
  const [value] = tree.values ?? [];
  const name = JSON.stringify(tree.name ?? "");
  need(tree.name && !["body", "level", "type", "ts", "id"].includes(tree.name), "such a condition");
  const no = not !== ["!=", "!~"].includes(tree.op);
  if (tree.op === "exists") {
    return [`${name}${not ? "=" : "!="}""`];
  }
  if (tree.op === "=" || tree.op === "!=") {
    return [`${name}${no ? "!=" : "="}${JSON.stringify(value.quoted ? unquoted(value.quoted) : value.bare)}`];
  }
  need(!["<", "<=", ">", ">=", "in"].includes(tree.op), "an order of values");
  return [`${name}${no ? "!~" : "=~"}${JSON.stringify(`(?s).*(?:${expression(tree.op === "!~" ? "~" : tree.op, value)}).*`)}`];
}

/** @param {Of} of */
function promql(of) {
  const [filter = "", ...rest] = stages(state.where);
  need(rest.length === 0, "a field that is parsed");
  const labels = of.by.map((name) => JSON.stringify(name));
  const grouped = labels.length > 0 ? ` by (${labels.join(", ")})` : "";
  const made = translated(of, (name, { field, condition, distinct }) => {
    need(field && !distinct, "events that are counted: only numbers are samples, as count(FIELD)");
    const tests = [`__name__${field === "value" ? types() : types("", `_${field}`)}`, ...matchers(parse(filter)), ...(condition ? matchers(parse(condition)) : [])];
    const samples = `{${tests.join(",")}}[${duration(of.step)}]`;
    return name === "count" ? `sum${grouped} (count_over_time(${samples}))`
      : name === "avg" ? `(sum${grouped} (sum_over_time(${samples})) / sum${grouped} (count_over_time(${samples})))`
        : /^p\d/.test(name) ? `max${grouped} (quantile_over_time(${Number(name.slice(1)) / 100}, ${samples}))`
          : `${name}${grouped} (${name}_over_time(${samples}))`;
  });
  return labels.length > 0 ? `topk(${of.limit}, ${made})` : made;
}
