/// Exports: all events of a range, as files that other programs read and that `widerow import`
/// takes again. Which events, in which format, and reading them although the store changes
/// meanwhile.
@NullMarked
package io.widerow.query.export;

import org.jspecify.annotations.NullMarked;
