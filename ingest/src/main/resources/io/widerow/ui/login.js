import { setToken } from "./api.js";
import { fill, h } from "./dom.js";

/** Asks for a token. It stays in memory, or in the storage of this tab when that is chosen. @param {string} why */
export function login(why) {
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    const before = document.querySelector("[data-test=login]");
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "password", "aria-label": "token", autocomplete: "off" }));
    const keep = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "keep-token" }));
    const said = h("p.refused-text", { test: "login-refused", role: "alert" }, why);
    const panel = h("div.login", { test: "login", role: "dialog", "aria-label": "token" }, h("form", {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        setToken(input.value.trim(), keep.checked);
        fill(said, "…");
        resolve();
      },
    },
    h("h2", {}, "This daemon wants a token"),
    h("p", {}, "One with the scope query: ", h("code", {}, "widerow token NAME --scopes query"), " makes it."),
    input, h("label", {}, keep, " for this tab, also when it is loaded again"),
    h("button", { type: "submit" }, "Ask"), said));
    before?.remove();
    document.body.append(panel);
    input.focus();
  }));
}

/** Takes the dialog away when a token was right. */
export function loggedIn() {
  document.querySelector("[data-test=login]")?.remove();
}
