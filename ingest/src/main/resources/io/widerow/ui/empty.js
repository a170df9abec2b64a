import { all } from "./api.js";
import { h } from "./dom.js";
import { whole } from "./format.js";
import { params } from "./range.js";
import { state } from "./state.js";

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
  const count = async (/** @type {object} */ other) => {
    const { lines } = await all("/v1/query", params({ stats: "count" }, other));
    return lines[0]?.count ?? 0;
  };
  const cases = [["this question", await count({})]];
  if (state.where) {
    cases.push(["without the filter", await count({ where: "" })]);
  }
  if (state.types.length > 0) {
    cases.push(["of all types", await count({ types: [] })]);
  }
  if (state.shard) {
    cases.push(["of all shards", await count({ shard: "" })]);
  }
  cases.push(["at any time", await count({ unbounded: true })]);
  return [
    h("h2", {}, "No event matches"),
    h("table.cases", {}, ...cases.map(([name, number]) => h("tr", {}, h("td", {}, String(name)), h("td", {}, `${whole(Number(number))} events`)))),
  ];
}
