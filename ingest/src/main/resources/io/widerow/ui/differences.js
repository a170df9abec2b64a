import { h } from "./dom.js";
export const element = h("section.differences", { test: "why", hidden: true });
export async function load() {}
