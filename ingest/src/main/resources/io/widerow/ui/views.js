// The views that the first rows do not need: they are a script of their own, loaded after them.

import * as aggregates from "./aggregates.js";
import * as differences from "./differences.js";
import * as layout from "./layout.js";
import * as series from "./series.js";
import * as trace from "./trace.js";

/** Views by their names in the URL: each has an element, and a function that loads it. */
export const views = { aggregates, differences, layout, series, trace };
