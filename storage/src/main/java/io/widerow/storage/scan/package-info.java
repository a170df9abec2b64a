/// Internal. Range scans of one segment: which blocks a predicate and a range leave, decoding only
/// the projected columns, aggregation on encoded blocks, and reading ahead of a slow disk.
///
/// - Threads: a cursor and its block readers belong to one thread; prefetching runs on the owner's.
@NullMarked
package io.widerow.storage.scan;

import org.jspecify.annotations.NullMarked;
