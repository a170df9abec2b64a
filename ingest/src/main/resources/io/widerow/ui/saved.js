// Saves a view: as a named query in the store, a picture, a print. Without a token that may save, it
// shows the command that does.
import { all, write } from "./api.js";
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
  let may;
  try {
    const [saved, self] = await Promise.all(["/v1/queries", "/v1/self"].map((path) => all(path, new URLSearchParams())));
    lines = saved.lines;
    may = self.lines[0].scopes.includes("admin");
  } catch (refused) {
    return [h("p.hint", {}, plain(refused instanceof Error ? refused.message : String(refused)))];
  }
  return [
    h("div.menu-row", {},
      h("button", { test: "picture", onclick: () => { close(); picture(); } }, "Picture of the bars"),
      h("button", { test: "download", onclick: () => { close(); void download().catch(failed); } }, "Download the events"),
      h("button", { test: "print", onclick: () => { close(); void print().catch(failed); } }, "Print the range")),
    ...lines.map((/** @type {{query: string, parameters: string}} */ each) => h("div.menu-row", {},
      h("button.saved-query", { test: "saved-query", title: plain(each.parameters), onclick: () => { close(); change(read(each.parameters), true); } }, plain(each.query)),
      may ? forget(each.query) : null)),
    ...(may ? [saveForm()] : [
      h("p.hint", {}, lines.length === 0 ? "No query is saved yet. " : "", "Your token may not save. This saves what you see, by a token with the scope admin:"),
      h("pre.copy", {}, plain(`curl -X PUT '${location.origin}/v1/queries?query=NAME&${parameters().replaceAll("'", "%27")}'`))]),
  ];
}

/** Saves the view by a name. */
function saveForm() {
  const name = /** @type {HTMLInputElement} */ (h("input", { test: "save-name", "aria-label": "name of the query", placeholder: "name", size: "20", required: true }));
  return h("form.menu-row", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    edit("PUT", new URLSearchParams([["query", name.value.trim()], ...new URLSearchParams(parameters())]));
  } }, name, h("button", { test: "save" }, "Save this view"));
}

/** Deletes a query at the second press. @param {string} query */
function forget(query) {
  const press = h("button", { test: "forget", "data-query": plain(query), "aria-label": `delete ${plain(query)}`, onclick: () => {
    if (press.textContent === "✕") {
      fill(press, "Delete?");
    } else {
      edit("DELETE", new URLSearchParams({ query }));
    }
  } }, "✕");
  return press;
}

/** Changes the saved queries, and shows them again. @param {"PUT" | "DELETE"} method @param {URLSearchParams} params */
function edit(method, params) {
  write(method, "/v1/queries", params).then(content).then((shown) => fill(menu, ...shown)).catch(failed);
}

/** The view without the selected event, as the query of a URL. */
function parameters() {
  return address({ ...state, at: "", tail: false }).split("?")[1] ?? "";
}

export function close() {
  menu.hidden = true;
  button.setAttribute("aria-expanded", "false");
}
