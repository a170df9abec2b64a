/// Internal. Numbers and bytes in few bits: delta and bit-packed integers, ids, series of values
/// that repeat at an interval, token filters, and block compression with zstd. Knows nothing of
/// files.
///
/// - Threads: an encoder or decoder belongs to one thread.
@NullMarked
package io.widerow.storage.codec;

import org.jspecify.annotations.NullMarked;
