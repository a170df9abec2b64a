package io.widerow.storage;

import io.widerow.event.PartitionKey;

/// What is known of a partition without reading it.
///
/// @param events an upper bound on the number of events: replaced ones may still be counted.
///   Negative when it is not known: a store on a cluster has not read it
/// @param timeFirstNanos no event is earlier; nanoseconds since the Unix epoch
/// @param timeLastNanos no event is later; nanoseconds since the Unix epoch
public record PartitionInfo(
    PartitionKey key, long events, long timeFirstNanos, long timeLastNanos) {}
