import { fill, h, key } from "./dom.js";
import { closeOthers, register } from "./popovers.js";

const NAMES = { ArrowDown: "j", ArrowUp: "k", PageDown: "J", PageUp: "K", Home: "g", End: "G", " ": "Space", Escape: "Esc" };
const list = h("dl");
export const element = h("div.keys", { test: "keys", role: "dialog", "aria-label": "keys", hidden: true }, list);

/** @typedef {[string, string, ...(() => void)[]]} Bound keys, what they do, and a function for each key */

/**
 * Lists keys and runs what they are bound to. No key works while a field has the focus, and none
 * takes one of the browser's with Ctrl.
 * @param {Bound[]} all
 */
export function start(all) {
  register(element, document.querySelector("[data-test=keys-button]"), () => { element.hidden = true; });
  const bound = new Map(all.flatMap(([names, , ...runs]) => names.split(" ").map((name, i) => [name, runs[i]])));
  fill(list, ...all.flatMap(([names, does]) => [h("dt", {}, ...names.split(" ").map(key)), h("dd", {}, does)]));
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches?.("input, select, textarea");
    const button = target.matches?.("button") && (event.key === "Enter" || event.key === " ");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || button) {
      return;
    }
    const name = NAMES[event.key] ?? event.key;
    const run = bound.get(name);
    if (run) {
      event.preventDefault();
      run();
    }
  });
}

export function toggle() {
  element.hidden = !element.hidden;
  if (!element.hidden) {
    closeOthers(element);
  }
}
