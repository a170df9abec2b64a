/// The vocabulary of rollups (materialized aggregates): which figures are kept of which groups, and
/// which questions they answer. No input, no output, no threads.
@NullMarked
package io.widerow.rollup;

import org.jspecify.annotations.NullMarked;
