/// Fields out of texts: the formats of log lines, and the steps `parse` and `where` of a query. The
/// daemon's transforms use the same formats.
///
/// - Threads: formats are immutable; the rest belongs to one thread at a time.
@NullMarked
package io.widerow.query.parse;

import org.jspecify.annotations.NullMarked;
