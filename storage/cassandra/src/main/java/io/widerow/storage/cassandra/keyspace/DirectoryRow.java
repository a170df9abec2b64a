package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.EventId;

/// The directory's row of a cluster segment: small, and enough to decide whether it is needed.
///
/// @param first id of its first event
/// @param last id of its last event
/// @param events that it holds
/// @param bytes of its value
/// @param own true when an event has a client's id: it may replace another one, or be replaced
/// @param crc CRC32C of the value, so that a value under a wrong key is found
public record DirectoryRow(
    SegmentKey key, EventId first, EventId last, int events, int bytes, boolean own, int crc) {}
