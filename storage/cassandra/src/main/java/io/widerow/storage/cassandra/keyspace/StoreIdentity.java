package io.widerow.storage.cassandra.keyspace;

import java.util.UUID;

/// The one row that makes a keyspace a store.
///
/// @param id of the store, in each segment's checksums
/// @param secret 32 bytes in hexadecimal, the same for all daemons
/// @param format version of the schema and of its contents
public record StoreIdentity(UUID id, String secret, int format) {}
