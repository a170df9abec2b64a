/// Events as text: CSV, JSON lines, tables, raw and logfmt, written into one buffer without an
/// object per event.
///
/// - Threads: a writer and its buffer belong to one thread.
@NullMarked
package io.widerow.query.output;

import org.jspecify.annotations.NullMarked;
