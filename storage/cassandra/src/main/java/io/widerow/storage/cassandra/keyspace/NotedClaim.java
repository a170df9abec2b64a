package io.widerow.storage.cassandra.keyspace;

/// A claim that is written without asking, see [Keyspace#noteClaims].
///
/// @param key of the batch, 16 bytes
public record NotedClaim(byte[] key, Claim claim) {}
