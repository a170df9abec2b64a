import { h } from "./dom.js";
import { change } from "./state.js";

/** The field with a text that is marked and jumped to, without filtering. */
export const element = /** @type {HTMLInputElement} */ (h("input.find", { placeholder: "find", "aria-label": "find in bodies", hidden: true }));

/** @param {() => void} jump to the next event with the text */
export function start(jump) {
  element.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Enter") {
      change({ find: element.value });
      element.blur();
      jump();
    } else if (pressed.key === "Escape") {
      element.value = "";
      change({ find: "" });
      element.hidden = true;
      element.blur();
    }
  });
}

export function show() {
  element.hidden = false;
  element.focus();
}
