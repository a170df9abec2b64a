/// Comparisons: servers that the tool starts itself, runs and queries in turn (A B B A), and the
/// statistics of pairs.
///
/// - Threads: one, the caller's, except that [Killer] kills its server from a thread of its own.
@NullMarked
package io.widerow.loadgen.compare;

import org.jspecify.annotations.NullMarked;
