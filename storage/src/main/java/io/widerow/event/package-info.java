/// The vocabulary: event, id (a version-1 timeuuid), type, partition key, batch, and the total
/// order of events. A record here is byte for byte what travels in a ring, in the write-ahead log
/// and in a memtable. No input, no output, no threads.
@NullMarked
package io.widerow.event;

import org.jspecify.annotations.NullMarked;
