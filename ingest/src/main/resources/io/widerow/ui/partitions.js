import { nanos, SECOND } from "./format.js";

const TYPES_MAX = 60;
const BUCKETS_MAX = 400;
const DAY = 86_400n * SECOND;
const NAMES_MAX = 20;

/** The bucket, type and shard of a partition as damage names it. */
const PRINTED = /^(\d{4}-\d\d-\d\d)(?:T(\d\d)(?::(\d\d)\+\d+m)?|\+\d+d)?\|([\s\S]+)\|(\d{1,5})$/;

/** A line of a partition, or of a sum of them, as a cell of the map. @param {any} line */
function cell(line) {
  const shard = line.shard ?? 0;
  return {
    ...line, shard, of: String(line.shard ?? ""), name: line.partition ?? `${line.from} ${line.to} ${line.type} ${shard}`, types: [line.type],
    from: nanos(line.from), to: nanos(line.to), partitions: line.partitions ?? 1, late: line.late ?? 0,
    files: line.segments?.length ?? 0, damaged: false, cold: false, box: { x: 0, y: 0, width: 0, height: 0 },
  };
}

/**
 * The lines of the catalog: cells, lanes, segments and damage, folded when there are too many.
 * @param {any[]} lines
 */
export function read(lines) {
  const of = (/** @type {string} */ kind) => lines.filter((line) => line[kind] !== undefined && (kind === "type" || line.type === undefined));
  const cells = of("type").map(cell);
  const damage = of("damage");
  const segments = of("segment").map(segment);
  mark(cells, damage);
  markCold(cells, segments);
  return { ...fold(cells), lanes: of("lane"), segments, damage };
}

/** @param {any} line */
function segment(line) {
  return { ...line, from: nanos(line.from), to: nanos(line.to), row: 0, box: { x: 0, y: 0, width: 0, height: 0 } };
}

/** Marks the cells that damaged partitions lie in. @param {any[]} cells @param {any[]} damage */
function mark(cells, damage) {
  const byName = new Map(cells.map((each) => [each.name, each]));
  for (const { partition } of damage) {
    const [, day, hour = "00", minute = "00", type, shard] = PRINTED.exec(partition ?? "") ?? [];
    const from = day ? nanos(`${day}T${hour}:${minute}:00Z`) : 0n;
    const there = byName.has(partition) ? [byName.get(partition)] : cells.filter((each) => // of a sum
      !each.partition && each.type === type && each.from <= from && from < each.to && [shard, ""].includes(each.of));
    there.forEach((each) => { each.damaged = true; });
  }
}

/** Marks the cells that lie in cold segments only; of a sum, when all segments of its time are cold. @param {any[]} cells @param {any[]} segments */
function markCold(cells, segments) {
  const cold = new Set(segments.filter((each) => each.cold).map((each) => each.segment));
  const warm = segments.filter((each) => !each.cold);
  cells.filter(() => cold.size > 0).forEach((each) => {
    each.cold = each.segments ? each.state !== "open" && each.segments.every((/** @type {number} */ id) => cold.has(id))
      : each.state === "final" && !warm.some((of) => of.from < each.to && each.from < of.to);
  });
}

/**
 * The map of the cells: types by their prefix when there are too many, buckets by their day.
 * @param {any[]} cells
 */
function fold(cells) {
  const said = [];
  let shown = cells;
  if (new Set(shown.map((each) => each.type)).size > TYPES_MAX) {
    shown = sum(shown, (each) => ({ ...each, type: `${each.type.split(/[._/\-:]/, 1)[0]}…` }));
    said.push("types by the beginning of their names");
  }
  const types = rows(shown);
  if (types.length > TYPES_MAX) {
    const rest = new Set(types.slice(TYPES_MAX - 1).map((of) => of.type));
    shown = sum(shown, (each) => (rest.has(each.type) ? { ...each, type: "others", shard: 0, of: "" } : each));
    said.push(`${rest.size} of them as others`);
  }
  const buckets = (/** @type {bigint} */ days) => (/** @type {any} */ each) => (days ? each.from / (days * DAY) * days * DAY : each.from);
  const days = [0n, 1n, 7n, 30n].find((wide) => new Set(shown.map(buckets(wide))).size <= BUCKETS_MAX) ?? 365n;
  if (days > 0n) {
    shown = sum(shown, (each) => {
      const from = buckets(days)(each);
      return { ...each, from, to: from + days * DAY > each.to ? from + days * DAY : each.to };
    });
    said.push(days === 1n ? "buckets by day" : `buckets by ${days} days`);
  }
  return { cells: shown, types: rows(shown), folded: said };
}

/** @param {any[]} cells @param {(cell: any) => any} to */
function sum(cells, to) {
  const found = new Map();
  for (const each of cells.map(to)) {
    const place = `${each.from}|${each.to}|${each.shard}|${each.type}`;
    const there = found.get(place);
    if (!there) {
      found.set(place, { ...each, types: [...each.types], box: { x: 0, y: 0, width: 0, height: 0 } });
      continue;
    }
    for (const of of ["events", "bytes", "late", "partitions"]) {
      there[of] = there[of] === null ? null : there[of] + each[of];
    }
    there.weight = Math.max(there.weight, each.weight);
    there.files = 0;
    there.damaged ||= each.damaged;
    there.cold &&= each.cold;
    there.state = [there.state, each.state].sort((a, b) => FORMS.indexOf(a) - FORMS.indexOf(b))[0];
    if (there.types.length <= NAMES_MAX && !there.types.includes(each.types[0])) {
      there.types.push(each.types[0]);
    }
  }
  return [...found.values()];
}

const FORMS = ["open", "sealed", "final", "cluster"];

/** The types, the one with the most events first, each with its shards. @param {any[]} cells */
function rows(cells) {
  const types = new Map();
  for (const each of cells) {
    const of = types.get(each.type) ?? { type: each.type, events: 0, shards: 0, most: { events: 0, bytes: 0, each: 0 } };
    of.events += each.events;
    of.shards = Math.max(of.shards, each.shard + 1);
    for (const by of ["events", "bytes", "each"]) {
      of.most[by] = Math.max(of.most[by], valueOf(each, by));
    }
    types.set(each.type, of);
  }
  return [...types.values()].sort((a, b) => b.events - a.events || (a.type < b.type ? -1 : 1));
}

/** What colours a cell: its events, its bytes, or its bytes an event. @param {any} of @param {string} by */
export function valueOf(of, by) {
  return by === "each" ? of.bytes / Math.max(of.events, 1) : of[by] ?? 0;
}

/** Gives segments that lie across each other rows of their own; how many rows. @param {any[]} segments */
export function stack(segments) {
  const ends = /** @type {bigint[]} */ ([]);
  for (const each of [...segments].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))) {
    const free = ends.findIndex((end) => end < each.from);
    each.row = free < 0 ? ends.length : free;
    ends[each.row] = each.to;
  }
  return ends.length;
}
