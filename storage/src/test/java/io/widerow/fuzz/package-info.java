/// What fuzz targets of all modules share: the harness of `verify` and the way to jazzer.
@NullMarked
package io.widerow.fuzz;

import org.jspecify.annotations.NullMarked;
