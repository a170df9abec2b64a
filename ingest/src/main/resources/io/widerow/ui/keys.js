import { h, key } from "./dom.js";

/** All keys as the page lists them. */
const LIST = [
  ["/", "filter"], ["Esc", "leave or close"], ["Enter", "open the event"], ["j k", "next and previous event"],
  ["J K", "next and previous page"], ["g G", "first and last"], ["e E", "next and previous error"],
  ["n N", "next and previous match of what was found"], ["[ ]", "half a range earlier or later"],
  ["- =", "wider or closer"], ["z", "zoom into the choice"], ["m '", "mark an event, go back to it"],
  ["c", "context: the events around it"], ["f", "follow what comes"], ["Space", "hold, go on"],
  ["w", "wrap lines"], ["h", "volume as a heat map of a number"], ["d l v", "differences, layout, events"], ["y Y", "copy link, copy JSON"],
  ["u", "undo"], ["t", "UTC or local time"], ["b B", "map by bytes, by bytes an event"], ["?", "these keys"],
];

const NAMES = { ArrowDown: "j", ArrowUp: "k", PageDown: "J", PageUp: "K", Home: "g", End: "G", " ": "Space" };
const panel = h("div.keys", { test: "keys", role: "dialog", "aria-label": "keys", hidden: true },
  h("dl", {}, ...LIST.flatMap(([names, does]) => [h("dt", {}, ...names.split(" ").map(key)), h("dd", {}, does)])));
export const element = panel;

/**
 * Runs what keys are bound to. No key works while a field has the focus, and none takes one of the
 * browser's with Ctrl.
 * @param {Record<string, () => void>} bound
 */
export function start(bound) {
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches?.("input, select, textarea");
    const button = target.matches?.("button") && (event.key === "Enter" || event.key === " ");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || button) {
      return;
    }
    const name = NAMES[event.key] ?? event.key;
    if (name === "Escape" && !panel.hidden) {
      panel.hidden = true;
      return;
    }
    if (bound[name]) {
      event.preventDefault();
      bound[name]();
    }
  });
}

export function toggle() {
  panel.hidden = !panel.hidden;
}
