import { h } from "./dom.js";
export const element = h("section.map-view", { hidden: true });
export async function load() {}
export function repaint() {}
