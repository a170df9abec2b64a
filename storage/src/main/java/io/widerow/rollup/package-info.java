/// The vocabulary of rollups (materialized aggregates): the stored aggregates of groups, and the
/// queries that they can serve. No input, no output, no threads.
@NullMarked
package io.widerow.rollup;

import org.jspecify.annotations.NullMarked;
