// Saves a view: as a named query in the store, a picture, a print. The page writes nothing, so it
// shows the command that saves the current view.
import { all } from "./api.js";
import { fill, h } from "./dom.js";
import { download, picture, print } from "./paper.js";
import { closeOthers, register } from "./popovers.js";
import { address, change, read, state } from "./state.js";
import { plain } from "./text.js";

const menu = h("div.menu", { hidden: true, test: "saved-menu" });
const button = h("button.box", { test: "saved", "aria-expanded": "false", onclick: toggle }, "Save");
export const element = h("span.saved", {}, button, menu);

let failed = (/** @type {unknown} */ _failure) => {};

/** @param {(failure: unknown) => void} onFailure tells why something could not be done */
export function start(onFailure) {
  failed = onFailure;
  register(menu, button, close);
}

async function toggle() {
  if (!menu.hidden) {
    close();
    return;
  }
  fill(menu, ...await content());
  closeOthers(menu);
  menu.hidden = false;
  button.setAttribute("aria-expanded", "true");
}

/** The queries by name, and how to save another; why there are none when the daemon keeps none. */
async function content() {
  let lines;
  try {
    lines = (await all("/v1/queries", new URLSearchParams())).lines;
  } catch (refused) {
    return [h("p.hint", {}, plain(refused instanceof Error ? refused.message : String(refused)))];
  }
  return [
    h("div.menu-row", {},
      h("button", { test: "picture", onclick: () => { close(); picture(); } }, "Picture of the bars"),
      h("button", { test: "download", onclick: () => { close(); void download().catch(failed); } }, "Download the events"),
      h("button", { test: "print", onclick: () => { close(); void print().catch(failed); } }, "Print the range")),
    ...lines.map((/** @type {{query: string, parameters: string}} */ each) =>
      h("button.saved-query", { test: "saved-query", title: plain(each.parameters), onclick: () => { close(); change(read(each.parameters), true); } }, plain(each.query))),
    h("p.hint", {}, lines.length === 0 ? "No query is saved yet. " : "", "This saves what you see, by a token with the scope admin:"),
    h("pre.copy", {}, plain(`curl -X PUT '${location.origin}/v1/queries?query=NAME&${parameters()}'`)),
  ];
}

/** The view without the selected event: as a query in a URL, and inside single quotes of a shell. */
function parameters() {
  const [, query = ""] = address({ ...state, at: "", tail: false }).split("?");
  return query.replaceAll("'", "%27");
}

export function close() {
  menu.hidden = true;
  button.setAttribute("aria-expanded", "false");
}
