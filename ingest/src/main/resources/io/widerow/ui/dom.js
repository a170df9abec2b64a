import { state } from "./state.js";
import { coloured, parts, places, uncoloured } from "./text.js";

/**
 * Makes an element. This code names all attributes; children are elements or texts, and texts
 * become text nodes: nothing here parses HTML.
 * @param {string} tag such as `button.quiet`
 * @param {Record<string, any>} [attributes] `onclick` and the like are listeners
 * @param {...(Node|string|null|undefined)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length > 0) {
    made.className = classes.join(" ");
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (key.startsWith("on")) {
      made.addEventListener(key.slice(2), value);
    } else if (key === "test") {
      made.dataset.test = value;
    } else {
      made.setAttribute(key, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/**
 * Replaces what an element has.
 * @param {Element} element
 * @param {...(Node|string|null|undefined)} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/**
 * Stored text as nodes: control characters by name, colours of ANSI as such, matches of the search marked.
 * @param {string} text
 * @param {string} [find]
 * @returns {Node[]}
 */
export function shown(text, find = "") {
  return state.ansi === "off" || !text.includes("\u001b[") ? nodesOf(uncoloured(text), find)
    : coloured(text).flatMap((part) => (part.of ? [h(`span.${part.of}`, {}, ...nodesOf(part.text, find))] : nodesOf(part.text, find)));
}

/** @param {string} text @param {string} find @returns {Node[]} */
function nodesOf(text, find) {
  const nodes = [];
  for (const part of parts(text)) {
    if (part.control) {
      nodes.push(h("span.control", {}, part.text));
      continue;
    }
    let from = 0;
    for (const at of places(part.text, find)) {
      nodes.push(part.text.slice(from, at), h("mark", {}, part.text.slice(at, at + find.length)));
      from = at + find.length;
    }
    nodes.push(part.text.slice(from));
  }
  return nodes;
}

/** A key as a reader sees it. @param {string} name */
export function key(name) {
  return h("kbd", {}, name);
}

/**
 * A canvas fitted to its element, in CSS pixels; null while it has no size.
 * @param {HTMLCanvasElement} canvas
 */
export function surface(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  if (width < 1 || height < 1) {
    return null;
  }
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** A colour of the style sheet. @param {string} name such as `--error` */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colours of the style sheet for one drawing, each looked up once. @returns {(name: string) => string} */
export function palette() {
  const known = new Map();
  return (name) => known.get(name) ?? known.set(name, colour(name)).get(name);
}

/** Runs a function once in the next frame, however often it is asked for. @param {() => void} run */
export function perFrame(run) {
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        run();
      });
    }
  };
}

/** Runs a function when what it draws looks otherwise: another size, font or colour scheme. @param {Element} element @param {() => void} run */
export function whenDrawnAnew(element, run) {
  new ResizeObserver(run).observe(element);
  document.fonts.addEventListener("loadingdone", run);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", run);
}

/** Runs a function when the page is seen again: what nobody sees asks for nothing. @param {() => void} run */
export function whenSeen(run) {
  document.addEventListener("visibilitychange", () => document.hidden || run());
}
