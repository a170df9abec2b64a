import { SECOND } from "./format.js";

const TYPES_MAX = 60;
const BUCKETS_MAX = 400;
const MINUTE = 60n * SECOND;
const DAY = 1440;

/** A bucket as partitions print it: an hour, a day, or a start and a width. */
const PRINTED = /^(\d{4}-\d\d-\d\d)(?:T(\d\d)(?::(\d\d)\+(\d{1,4})m)?|\+(\d{1,3})d)?\|([\s\S]+)\|(\d{1,5})$/;

/** A line of the catalog as a cell of the map. @param {any} line */
export function parsePartition(line) {
  const [, day, hour, minute, wide, days, type, shard] = PRINTED.exec(line.partition) ?? [];
  const width = wide ? Number(wide) : hour ? 60 : days ? Number(days) * DAY : DAY;
  const from = BigInt(Date.parse(`${day}T${hour ?? "00"}:${minute ?? "00"}:00Z`)) * 1_000_000n;
  return {
    name: line.partition, type, types: [type], shard: Number(shard), width, from, to: from + BigInt(width) * MINUTE,
    events: line.events, bytes: line.bytes, weight: line.weight, state: line.state, partitions: 1,
    box: { x: 0, y: 0, width: 0, height: 0 },
  };
}

/**
 * The map of the cells: types by their prefix when there are too many, buckets by their day.
 * @param {any[]} cells
 */
export function fold(cells) {
  const said = [];
  let shown = cells;
  if (new Set(cells.map((cell) => cell.type)).size > TYPES_MAX) {
    shown = sum(shown, (cell) => ({ ...cell, type: cell.type.split(/[._/-]/, 1)[0] + " …" }));
    said.push("types by the beginning of their names");
  }
  if (new Set(shown.map((cell) => cell.from)).size > BUCKETS_MAX) {
    shown = sum(shown, (cell) => {
      const from = cell.from / (1440n * MINUTE) * 1440n * MINUTE;
      return { ...cell, from, to: from + 1440n * MINUTE > cell.to ? from + 1440n * MINUTE : cell.to, width: Math.max(DAY, cell.width) };
    });
    said.push("buckets by day");
  }
  return { cells: shown, types: rows(shown), folded: said.length > 0 ? `Folded: ${said.join(", ")}.` : "" };
}

/** @param {any[]} cells @param {(cell: any) => any} to */
function sum(cells, to) {
  const found = new Map();
  for (const cell of cells.map(to)) {
    const place = `${cell.from}|${cell.width}|${cell.type}|${cell.shard}`;
    const there = found.get(place);
    if (there) {
      there.events += cell.events;
      there.bytes += cell.bytes;
      there.weight += cell.weight;
      there.partitions++;
      there.state = there.state === cell.state ? there.state : "mixed";
    } else {
      found.set(place, { ...cell, box: { x: 0, y: 0, width: 0, height: 0 } });
    }
  }
  return [...found.values()];
}

/** The types, the one with the most events first, each with its shards. @param {any[]} cells */
function rows(cells) {
  const types = new Map();
  for (const cell of cells) {
    const of = types.get(cell.type) ?? { type: cell.type, events: 0, shards: 0, mostEvents: 0, mostBytes: 0, mostEach: 0 };
    of.events += cell.events;
    of.shards = Math.max(of.shards, cell.shard + 1);
    of.mostEvents = Math.max(of.mostEvents, cell.events);
    of.mostBytes = Math.max(of.mostBytes, cell.bytes);
    of.mostEach = Math.max(of.mostEach, cell.bytes / Math.max(cell.events, 1));
    types.set(cell.type, of);
  }
  return [...types.values()].sort((a, b) => b.events - a.events || (a.type < b.type ? -1 : 1));
}
