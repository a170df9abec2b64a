/// Text forms that all packages share: quantities with units, CSV cells, flat JSON objects.
///
/// - Threads: any; the classes are static functions over their arguments, and an instance of
///   [FlatJson] reads one line on one thread.
@NullMarked
package io.widerow.loadgen.format;

import org.jspecify.annotations.NullMarked;
