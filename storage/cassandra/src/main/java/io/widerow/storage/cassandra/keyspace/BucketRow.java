package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.Bucket;

/// A row of the catalog: a bucket of a type has events, in shards 0 up to `shards` (exclusive). The
/// catalog only grows until retention drops the bucket; readers take the greatest `shards`.
public record BucketRow(Bucket bucket, String type, int shards) {}
