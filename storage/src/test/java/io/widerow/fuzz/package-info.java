/// Fuzzing harness that all modules share, for `verify` and for jazzer.
@NullMarked
package io.widerow.fuzz;

import org.jspecify.annotations.NullMarked;
