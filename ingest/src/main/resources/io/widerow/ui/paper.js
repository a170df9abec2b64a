// What leaves the page: a picture of the bars, and a range on paper, for a post-mortem.
import { Refused, all, blob, hasToken, latest } from "./api.js";
import { fields } from "./columns.js";
import { colour, fill, h } from "./dom.js";
import { bytes, dayText, iso, minuteText, whole } from "./format.js";
import { levelText } from "./levels.js";
import { both, params, range } from "./range.js";
import { state } from "./state.js";
import { element as strip, pick, redraw, strip as bars } from "./strip.js";
import { plain, valueText } from "./text.js";

const PRINTED_MAX = 2000;
const SAVED_BYTES_MAX = 100_000_000;
const CAPTION = 44; // pixels above the bars in a picture
export const element = h("article.paper", { test: "paper", "aria-hidden": "true" });

/** @param {bigint} from @param {bigint} to */
function caption(from, to) {
  const sameDay = dayText(from) === dayText(to - 1n);
  const times = `${dayText(from)} ${minuteText(from, true)} – ${sameDay ? "" : `${dayText(to)} `}${minuteText(to, true)} ${state.tz === "utc" ? "UTC" : "local"}`;
  return { what: `${state.types.join(" ") || "all types"}${state.where ? `  where ${state.where}` : ""}`, times };
}

/** The bars on the page's ground, with what they show above them. */
function drawn() {
  const from = /** @type {HTMLCanvasElement} */ (strip.querySelector("canvas"));
  const scale = from.width / from.clientWidth;
  const to = document.createElement("canvas");
  to.width = from.width;
  to.height = from.height + CAPTION * scale;
  const pen = /** @type {CanvasRenderingContext2D} */ (to.getContext("2d"));
  pen.fillStyle = colour("--page");
  pen.fillRect(0, 0, to.width, to.height);
  pen.drawImage(from, 0, CAPTION * scale);
  pen.scale(scale, scale);
  pen.font = "600 13px Inter, system-ui, sans-serif";
  pen.fillStyle = colour("--text");
  const { what, times } = caption(range.from, range.to);
  pen.fillText(plain(what), 46, 20, from.clientWidth - 58);
  pen.font = "12px Inter, system-ui, sans-serif";
  pen.fillStyle = colour("--quiet");
  pen.fillText(`${times}   ${whole(bars.total)} events, ${whole(bars.sums.error ?? 0)} errors`, 46, 38, from.clientWidth - 58);
  return to;
}

/** The bars in the colours of paper, whatever the colours of the page. */
function onPaper() {
  const root = document.documentElement.classList;
  root.add("on-paper");
  redraw();
  const made = drawn();
  root.remove("on-paper");
  redraw();
  return made;
}

/** @param {string} end */
function fileName(end) {
  return `widerow-${iso(range.from).replace(/[^0-9TZ]/g, "")}.${end}`;
}

/** @param {string} href @param {string} name */
function save(href, name) {
  const link = /** @type {HTMLAnchorElement} */ (h("a", {}));
  link.href = href;
  link.download = name;
  link.click();
}

/** Saves the bars as a PNG file. */
export function picture() {
  save(drawn().toDataURL("image/png"), fileName("png"));
}

/** Saves the events: by the browser itself or, with a token, through the page's memory as far as that goes. */
export async function download() {
  const name = fileName("ndjson");
  const asked = params({ download: name });
  const address = `/v1/query?${asked}`;
  if (!hasToken()) {
    save(address, name);
    return;
  }
  const { lines } = await all("/v1/query", params({ stats: "bytes" }), latest("size"));
  if ((lines[0]?.bytes ?? 0) > SAVED_BYTES_MAX) {
    throw new Refused(`More than ${bytes(SAVED_BYTES_MAX)}; this saves them:\ncurl -H "Authorization: Bearer $WIDEROW_TOKEN" -o ${name} '${location.origin}${address.replaceAll("'", "%27")}'`, 0);
  }
  const url = URL.createObjectURL(await blob("/v1/query", asked));
  save(url, name);
  URL.revokeObjectURL(url);
}

/** Prints the chosen time, or the range when none is chosen: bars, and the first events. */
export async function print() {
  const part = pick() ?? range;
  const where = state.pickwhere ? both(state.where, state.pickwhere) : state.where;
  const { lines } = await all("/v1/query",
    params({ order: "asc", limit: PRINTED_MAX + 1, level: 1 }, { from: part.from, to: part.to, where }), latest("paper"));
  const events = lines.filter((line) => line.id);
  const more = events.length > PRINTED_MAX;
  const { what, times } = caption(part.from, part.to);
  const columns = fields();
  const image = /** @type {HTMLImageElement} */ (h("img", { alt: "volume over time" }));
  image.src = onPaper().toDataURL("image/png");
  await image.decode();
  fill(element,
    h("h1", {}, plain(what)), h("p", {}, times, `   ${more ? `the first ${whole(PRINTED_MAX)} events` : `${whole(events.length)} events`}`), image,
    h("table", {}, h("thead", {}, h("tr", {}, ...["time", "type", "level", "body", ...columns].map((name) => h("th", {}, plain(name))))),
      h("tbody", {}, ...events.slice(0, PRINTED_MAX).map((event) => h("tr", {},
        ...[stamp(event.ts), event.type, levelText(event, event["widerow.level"]), event.body, ...columns.map((name) => event[name])]
          .map((value) => h("td", {}, value === undefined ? "" : plain(valueText(value)))))))),
    h("p", {}, location.href));
  window.print();
}

/** @param {string} ts */
function stamp(ts) {
  return ts.replace("T", " ").replace(/(?:0{6}|0{3})?Z$/, "");
}
