import { SECOND, clock, dayText, minuteText } from "./format.js";
import { range } from "./range.js";

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  86_400, 172_800, 604_800, 2_592_000, 7_776_000, 31_536_000].map((seconds) => BigInt(seconds) * SECOND);

/**
 * Writes times below or above a plot, at round places in the zone of the page.
 * @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour
 * @param {(time: bigint) => number} x @param {number} most how many have room @param {number} y
 * @param {number} [left] @param {number} [right] the ends of the room for their middles
 */
export function axis(pen, colour, x, most, y, left = 0, right = Infinity) {
  const fit = BigInt(Math.max(Math.floor(most), 1));
  const step = STEPS.find((each) => (range.to - range.from) / each <= fit) ?? STEPS[STEPS.length - 1];
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  for (let at = (range.from / step + 1n) * step; at < range.to; at += step) {
    const place = x(at);
    if (place >= left && place <= right) {
      const midnight = clock(at).time === "00:00:00";
      pen.fillStyle = colour(midnight ? "--text" : "--faint");
      pen.fillText(midnight ? dayText(at) : minuteText(at, step < 60n * SECOND), place, y);
    }
  }
}
