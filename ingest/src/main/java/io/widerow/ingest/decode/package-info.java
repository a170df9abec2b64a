/// Code that all decoders share: the batch under construction, refusals by index and reason, the
/// JSON scanner, and times in text.
///
/// - Threads: a decoder and its batch belong to one thread.
@NullMarked
package io.widerow.ingest.decode;

import org.jspecify.annotations.NullMarked;
