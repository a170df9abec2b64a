// What lies over the page for a moment: at most one at a time. Escape, a press outside and the opening of another close it.

/** @type {{element: HTMLElement, opener: HTMLElement | null, close: () => void, isOpen: () => boolean}[]} */
const all = [];

/**
 * Makes an element one of them.
 * @param {HTMLElement} element hidden while it is closed @param {HTMLElement | null} opener a press on it is none outside
 * @param {() => void} close @param {() => boolean} [isOpen]
 */
export function register(element, opener, close, isOpen = () => !element.hidden) {
  all.push({ element, opener, close, isOpen });
}

/** Closes the others, when one opens. @param {HTMLElement} [opening] */
export function closeOthers(opening) {
  all.filter((each) => each.element !== opening && each.isOpen()).forEach((each) => each.close());
}

/** Closes the open popover; false when there is none. */
function closeOpen() {
  const open = all.filter((each) => each.isOpen());
  open.forEach((each) => each.close());
  return open.length > 0;
}

addEventListener("pointerdown", (event) => {
  const at = /** @type {Node} */ (event.target);
  all.filter((each) => each.isOpen() && !each.element.contains(at) && !each.opener?.contains(at)).forEach((each) => each.close());
}, { capture: true });

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && closeOpen()) {
    event.preventDefault();
    event.stopPropagation();
  }
}, { capture: true });
