/// The load generator: drives a daemon on the wire at a rate that the daemon cannot slow down, and
/// says what it saw. Knows nothing of the store's code.
@NullMarked
package io.widerow.loadgen;

import org.jspecify.annotations.NullMarked;
