import { fill, h, key, shown } from "./dom.js";
import { bytes, clock, dayText, nanos, short, spanText, sum as add, whole } from "./format.js";
import { plain } from "./text.js";

const DAMAGE_SHOWN = 4;

export const side = h("aside.map-side", { test: "map-side", tabindex: "0", "aria-label": "totals and the chosen wide row" });

function pair(/** @type {string} */ name, /** @type {string} */ value, wide = false) {
  return h(wide ? "div.wide" : "div", {}, h("small", {}, name), h("span", {}, value));
}

/** A number that a store on a cluster does not tell. @param {number | null} number @param {(of: number) => string} text */
function told(number, text) {
  return number === null || Number.isNaN(number) ? "–" : text(number);
}

/**
 * Tells totals, lanes, the chosen cell, damage and what the colours mean.
 * @param {any} map @param {string} by what colours the map @param {() => void} open
 */
export function tell(map, by, open) {
  const sum = (/** @type {string} */ of) => map.cells.reduce((/** @type {number} */ total, /** @type {any} */ cell) => total + (cell[of] ?? NaN), 0);
  const sealed = map.cells.filter((/** @type {any} */ cell) => cell.bytes > 0);
  const each = add(sealed, "bytes") / add(sealed, "events");
  const cold = add(map.segments.filter((/** @type {any} */ each) => each.cold), "bytes");
  fill(side,
    h("p.big", {}, h("b", {}, whole(sum("partitions"))), sum("partitions") === 1 ? " partition" : " partitions"),
    map.away ? h("p.refused-text", {}, map.away) : null,
    h("div.pairs-grid", {}, pair("events", told(sum("events"), whole)), pair(cold > 0 ? "stored" : "on disk", told(sum("bytes"), bytes)),
      pair("bytes an event", told(each, (of) => of.toFixed(1))), pair("bucket × shards", form(map)),
      cold > 0 ? h("div", { test: "map-cold" }, h("small", {}, "of these cold"), h("span", {}, bytes(cold))) : null),
    ...map.folded.length > 0 ? [h("p.quiet", { test: "map-folded" }, `Folded: ${map.folded.join(", ")}.`)] : [],
    ...lanes(map.lanes), ...chosen(map, open), ...damage(map.damage),
    h("h3", {}, "Key"),
    h("div.map-key", { test: "map-key" }, "few ", ...[0, 1, 2, 3, 4].map((i) => h(`i.shade-${i}`)),
      by === "bytes" ? " most bytes of its type" : by === "each" ? " most bytes an event" : " most of its type"),
    h("div.map-key", {}, ...[["open", "open"], ["sealed", "sealed"], ["shade-3", "final"], ["late", "late"], ["damaged", "damaged"]]
      .map(([of, name]) => h("span", {}, h(`i.${of}`), name))),
    cold > 0 ? h("div.map-key", {}, h("i.cold"), "cold: kept elsewhere") : null,
    h("p.quiet", {}, key("b"), " bytes  ", key("B"), " bytes an event"));
}

/** Widths of buckets, and the most shards of a type. @param {any} map */
function form(map) {
  const widths = [...new Set(map.cells.map((/** @type {any} */ cell) => cell.to - cell.from))].sort((a, b) => (a < b ? -1 : 1));
  const shards = map.types.reduce((/** @type {number} */ most, /** @type {any} */ of) => Math.max(most, of.shards), 0);
  const names = widths.map((/** @type {bigint} */ wide) => (wide === 3_600_000_000_000n ? "60 min" : spanText(wide)));
  return names.length === 0 ? "–" : `${names.slice(0, 2).join(", ")}${names.length > 2 ? " …" : ""} × ${shards}`;
}

/** @param {any[]} lanes */
function lanes(lanes) {
  if (lanes.length === 0) {
    return [];
  }
  const sum = (/** @type {string} */ of) => lanes.reduce((total, lane) => total + (lane[of] ?? NaN), 0);
  const journal = sum("journalBytes");
  const forced = Math.min(...lanes.map((lane) => lane.forcedAgoMicros ?? NaN));
  return [h("h3", {}, "Rings"), ...lanes.map((lane) => {
    const bar = h("i.ring-used");
    bar.style.width = `${Math.max(lane.slotsUsed / lane.slots * 100, 1)}%`;
    return h("div.ring", { test: "lane", "data-lane": lane.lane, "data-used": lane.slotsUsed }, h("span", {}, `lane ${lane.lane}`), h("span.ring-bar", {}, bar),
      h("span.quiet", {}, `${whole(lane.slotsUsed)} / ${whole(lane.slots)}`));
  }), Number.isNaN(journal) ? null : h("p", { test: "journal" }, `open rows ${short(sum("openEvents"))} events, ${bytes(sum("openBytes"))}`, h("br"),
    `journal ${bytes(journal)}, forced ${forced < 1e6 ? `${(forced / 1000).toFixed(1)} ms` : spanText(BigInt(forced) * 1000n)} ago`)];
}

/** @param {any} map @param {() => void} open */
function chosen(map, open) {
  const cell = map.chosen;
  if (!cell) {
    return [h("p.quiet", {}, "Choose a wide row: click, or the arrow keys.")];
  }
  const mates = map.cells.filter((/** @type {any} */ each) => each.type === cell.type && each.from === cell.from && each.to === cell.to);
  const mean = add(mates, "events") / mates.length;
  const ratio = cell.events / Math.max(mean, 1);
  const time = (/** @type {string} */ text) => clock(nanos(text)).time;
  return [h("h3", {}, cell.partition ? "Partition" : `${whole(cell.partitions)} partitions`),
    h("p.mono", { test: "partition" }, ...shown(cell.partition ?? `${dayText(cell.from)} | ${cell.type}${cell.of ? ` | ${cell.shard}` : ""}`)),
    h("div.pairs-grid", {}, pair("events", told(cell.events, whole)), pair("bytes", told(cell.bytes, bytes)),
      pair("state", (cell.cold ? "cold" : cell.state) + (cell.files > 0 ? `, ${cell.files} segment${cell.files > 1 ? "s" : ""}` : "")), pair("came late", whole(cell.late)),
      cell.lane === undefined ? null : pair("lane", String(cell.lane)), cell.weight === null ? null : pair("weight", cell.weight.toFixed(2)),
      cell.first ? pair("first, last", `${time(cell.first)} – ${time(cell.last)}`, true) : null),
    cell.damaged ? h("p.refused-text", {}, "Damaged: not all of its events can be read.") : null,
    ratio > 1.5 && mates.length > 1 ? h("p", {}, `This shard holds ${ratio.toFixed(1)} times the mean of its bucket.`) : null,
    h("button", { test: "map-open", onclick: open }, "Show its events ", key("↵"))];
}

/** @param {any[]} damage */
function damage(damage) {
  const files = new Map();
  damage.forEach((each) => files.set(each.damage, { ...each, partitions: (files.get(each.damage)?.partitions ?? 0) + (each.partition ? 1 : 0) }));
  return files.size === 0 ? [] : [h("h3", {}, "Damage"), ...[...files.values()].slice(0, DAMAGE_SHOWN).map((of) =>
    h("p.refused-text", { test: "map-damage" }, ...shown(`${plain(of.damage)} at byte ${of.offset}: ${of.found}; ${of.partitions || "unknown"} partitions`))),
  files.size > DAMAGE_SHOWN ? h("p.quiet", {}, `and ${files.size - DAMAGE_SHOWN} more files`) : null];
}
