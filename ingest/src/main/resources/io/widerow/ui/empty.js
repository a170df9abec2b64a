import { all } from "./api.js";
import { h } from "./dom.js";
import { iso, nanos, whole } from "./format.js";
import { look, params, range } from "./range.js";
import { change, state } from "./state.js";
import { plain } from "./text.js";

/** What to send to an empty store, to copy. */
export function welcome() {
  const url = location.origin;
  const line = (/** @type {string} */ from, /** @type {string} */ text) => h("p", {}, h("b", {}, from), h("pre", {}, text));
  return [
    h("h2", {}, "Nothing is stored yet. Send something:"),
    line("curl", `echo '{"type":"hello","body":"first event"}' |\n  curl -H 'content-type: application/x-ndjson' --data-binary @- ${url}/v1/events`),
    line("Telegraf", `[[outputs.influxdb_v2]]\n  urls = ["${url}"]`),
    line("rsyslog (with its module omelasticsearch)", `action(type="omelasticsearch" server="${location.hostname}" serverport="${location.port || "80"}" bulkmode="on" searchIndex="syslog" searchType="")`),
  ];
}

/** Which part of a question that finds nothing leaves how many events. */
export async function nothing() {
  const warnings = /** @type {string[]} */ ([]);
  const count = async (/** @type {object} */ other) => {
    const { lines } = await all("/v1/query", params({ stats: "count" }, other));
    warnings.push(...lines.flatMap((line) => line.warnings ?? []));
    return lines[0]?.count ?? 0;
  };
  /** @type {[string, number, object][]} */
  const cases = [["this question", await count({}), {}]];
  const warned = warnings.map((text) => h("p.warned", { test: "warned" }, plain(text)));
  if (state.where) {
    cases.push(["without the filter", await count({ where: "" }), { where: "" }]);
  }
  if (state.types.length > 0) {
    cases.push(["of all types", await count({ types: [] }), { types: [] }]);
  }
  if (state.shard) {
    cases.push(["of all shards", await count({ shard: "" }), { shard: "" }]);
  }
  cases.push(["at any time", await count({ unbounded: true }), await anyTime()]);
  return [
    h("h2", {}, "No event matches"), ...warned,
    h("table.cases", {}, ...cases.map(([name, number, to]) => h("tr", {}, h("td", {}, name), h("td", {}, counted(number, to))))),
  ];
}

/** A count, which leads to its events. @param {number} number @param {object} to what changes in the question */
function counted(number, to) {
  const text = `${whole(number)} ${number === 1 ? "event" : "events"}`;
  return number > 0 ? h("button.link.strong", { test: "case", onclick: () => change(to, true) }, text) : text;
}

/** The range of all events of the types, as a change of the question. */
async function anyTime() {
  await look();
  const [first, last] = [range.stored.map((type) => nanos(type.first)), range.stored.map((type) => nanos(type.last))];
  const from = first.reduce((a, b) => (a < b ? a : b), first[0] ?? 0n);
  const to = last.reduce((a, b) => (a > b ? a : b), 0n) + 100n;
  return { from: iso(from), to: iso(to), since: "", at: "" };
}
