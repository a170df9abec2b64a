import { all, ask, isOld, latest } from "./api.js";
import { fill, h, key, shown } from "./dom.js";
import { clock, iso, nanos, whole } from "./format.js";
import { toggle } from "./columns.js";
import { narrow } from "./facets.js";
import { indexOf, list } from "./list.js";
import { nameText, quoted, test } from "./range.js";
import { address, change, state } from "./state.js";
import { BODY_CHARS, isNumber, json, parsed, plain, valueText } from "./text.js";

const OWN = new Set(["id", "ts", "type", "body"]);
/** What an event came from, the field of the first that it has: `context` keeps to it. */
const SAME = {
  host: ["host", "host.name", "hostname", "server", "instance"], pod: ["k8s.pod.name", "pod", "pod_name", "kubernetes.pod_name"],
  file: ["file", "filename", "log.file.path", "file.path"],
};
const DEEP = 6;

export const element = h("aside.detail", { test: "detail", hidden: true, "aria-label": "event" });
let current = /** @type {any} */ (null);
let context = () => {};
let say = (/** @type {string} */ _text) => {};

/** @param {{context: () => void, say: (text: string) => void}} on */
export function start(on) {
  context = on.context;
  say = on.say;
}

/** Opens the panel with the selected event. */
export async function open() {
  const at = indexOf(state.at);
  if (at < 0) {
    return;
  }
  current = list.items[at].event;
  element.hidden = false;
  show(null);
  const event = current;
  let place = /** @type {any} */ (null);
  try {
    await ask(`/v1/events/${event.id}`, new URLSearchParams({ type: event.type }), latest("event"), (line) => { place = line; });
    if (current === event && place) {
      show(place);
      await shards(place, event);
    }
  } catch (failure) {
    if (!isOld(failure) && current === event) {
      element.append(h("p.quiet", {}, String(failure instanceof Error ? failure.message : failure)));
    }
  }
}

export function close() {
  element.hidden = true;
  current = null;
}

export function isOpen() {
  return !element.hidden;
}

/** @param {any} place what `/v1/events/ID` says; null until it has */
function show(place) {
  const event = current;
  const time = clock(nanos(event.ts));
  fill(element,
    h("header", {}, h("h2", {}, `${time.time}.${time.nanos}`),
      h("button.close", { test: "close", "aria-label": "close", onclick: close }, "✕")),
    h("p.mono.quiet", {}, `${time.year}-${time.day} ${state.tz === "utc" ? "UTC" : "local"} `, ...shown(event.type)),
    event.body === undefined ? null : bodyBox(valueText(event.body)),
    h("dl.kv", { test: "kv" }, ...Object.entries(event).filter(([name]) => !OWN.has(name)).flatMap(([name, value]) => field(name, value))),
    h("div.actions", {},
      h("button", { test: "context", onclick: context, title: "the events around it, without the filter" }, "Context ", key("c")),
      ...same(event),
      typeof event.trace_id === "string" ? h("button", { test: "trace", onclick: () => change({ view: "trace", trace: event.trace_id }, true) }, "Trace") : null,
      h("button", { test: "permalink", "data-href": link(), onclick: copyLink }, "Copy link ", key("y")),
      h("button", { onclick: copyJson }, "JSON ", key("Y")),
      h("button", { onclick: () => copy(curl(), "curl command") }, "curl"),
      h("button", { onclick: () => copy(command(), "command") }, "command")),
    place ? where(place, event) : null);
}

/** Buttons for the events around it that came from the same. @param {any} event */
function same(event) {
  return Object.entries(SAME).map(([what, names]) => {
    const name = names.find((each) => event[each] !== undefined);
    return name === undefined ? null : h("button", {
      test: `same-${what}`, title: plain(`the events around it where ${test(name, event[name])}`),
      onclick: () => change({ types: [], shard: "", where: test(name, event[name]) }, true),
    }, `Same ${what}`);
  });
}

/** @param {string} text */
function bodyBox(text) {
  const box = h("div.body-box", { test: "body", dir: "auto" });
  const value = structure(text);
  if (value !== undefined) {
    fill(box, tree(value, 0));
  } else {
    fill(box, ...shown(text.slice(0, BODY_CHARS), state.find));
  }
  if (text.length > BODY_CHARS && value === undefined) {
    box.append(h("button.link", { onclick: () => fill(box, ...shown(text, state.find)) }, `show all ${whole(text.length)} characters`));
  }
  return box;
}

/** What a text says when it is JSON. @param {string} text */
function structure(text) {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) {
    return undefined;
  }
  try {
    return parsed(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
function kind(value) {
  return isNumber(value) ? "number" : typeof value;
}

/** JSON as a tree. @param {any} value @param {number} depth @returns {Node} */
function tree(value, depth) {
  if (value === null || typeof value !== "object") {
    return h(`span.json-${value === null ? "null" : kind(value)}`, {}, ...shown(json(value)));
  }
  const entries = Object.entries(value);
  if (depth >= DEEP || entries.length === 0) {
    return h("span", {}, ...shown(json(value).slice(0, 400)));
  }
  return h("ul.tree", {}, ...entries.slice(0, 200).map(([name, inner]) =>
    h("li", {}, h("span.json-key", {}, ...shown(name)), ": ", tree(inner, depth + 1))));
}

/** @param {string} name @param {unknown} value */
function field(name, value) {
  const text = valueText(value);
  const does = (/** @type {string} */ title, /** @type {string} */ sign, /** @type {() => void} */ run) =>
    h("button", { title, "aria-label": `${title}: ${plain(name)}`, onclick: run }, sign);
  return [
    h("dt", { title: plain(name) }, ...shown(name)),
    h(`dd.${kind(value)}`, {}, h("span.value", { dir: "auto" }, ...shown(text.slice(0, 2000), state.find)), h("span.does", {},
      does("only these", "=", () => narrow(name, value, false)),
      does("not these", "≠", () => narrow(name, value, true)),
      does("as column", "¦", () => toggle(name)),
      does("differences by it", "≁", () => change({ view: "differences", pick: "", pickwhere: `${nameText(name)} = ${typeof value === "string" ? quoted(value) : text}` }, true)))),
  ];
}

/** @param {any} place @param {any} event */
function where(place, event) {
  const partition = String(place.partition ?? "");
  const shard = Number(partition.slice(partition.lastIndexOf("|") + 1));
  const bucket = partition.slice(0, partition.indexOf("|"));
  return h("div", {},
    h("h3", {}, "Where it lies"),
    h("p.mono", { test: "partition" }, bucket, h("i", {}, " | "), ...shown(event.type), h("i", {}, " | "), String(shard)),
    h("div.shards", { test: "shards" }),
    place.place ? h("p.quiet", { test: "place" }, `lane ${place.lane}, ${lies(place.place)}`) : null,
    h("h3", {}, "Identity"),
    h("p.mono", {}, event.id),
    h("p.quiet", {}, `100 ns tick ${whole(place.tick)} of its second, arrival ${whole(place.arrival)}`));
}

/** @param {any} at where in the store */
function lies(at) {
  return at.state === "open" ? "open row, in memory" : `${at.state} segment ${at.file.replace(/^0+(?=\w)/, "")}, block ${at.block + 1} of ${at.blocks}, row ${at.row + 1}`;
}

/** Shows the shards of the event's type and bucket by what they hold, its own among them. @param {any} place @param {any} event */
async function shards(place, event) {
  const time = nanos(event.ts);
  const asked = new URLSearchParams({ type: event.type, from: iso(time), to: iso(time + 1n), layout: "true" });
  const { lines } = await all("/v1/partitions", asked, latest("event-shards"));
  const here = lines.find((line) => line.partition === place.partition);
  const mates = lines.filter((line) => here && line.type === event.type && line.from === here.from && line.to === here.to);
  const most = mates.reduce((top, line) => Math.max(top, line.events), 1);
  const made = Array.from({ length: mates.reduce((top, line) => Math.max(top, line.shard + 1), 0) }, (_, shard) => {
    const mate = mates.find((line) => line.shard === shard);
    const bar = h(`i${mate === here ? ".here" : ""}`, { title: `shard ${shard}: ${whole(mate?.events ?? 0)} events` }, h("i"));
    /** @type {HTMLElement} */ (bar.firstChild).style.height = `${(mate?.events ?? 0) / most * 100}%`;
    return bar;
  });
  const box = element.querySelector(".shards");
  if (current === event && box) {
    fill(box, ...made);
  }
}

/** The URL of the selected event. */
export function link() {
  return new URL(address({ ...state, tail: false }), location.href).href;
}

/** Copies a text, also where the page is not on this machine and has no TLS. @param {string} text @param {string} what it is */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = /** @type {HTMLTextAreaElement} */ (h("textarea.copied"));
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`${what} copied`);
}

export function copyLink() {
  return copy(link(), "link");
}

/** The event that is open, or else the selected one. */
export async function copyJson() {
  const event = current ?? list.items[indexOf(state.at)]?.event;
  if (event) {
    await copy(json(event), "JSON");
  }
}

function curl() {
  return `curl '${location.origin}/v1/events/${current.id}?type=${encodeURIComponent(current.type).replaceAll("'", "%27")}'`;
}

function command() {
  const type = `'${current.type.replaceAll("'", "'\\''")}'`;
  return `./widerow query --url ${location.host} ${type} --where 'id = "${current.id}"'`;
}
