/// Internal. What a cluster store does besides taking in and answering: retention as a policy of
/// the keyspace, dropping buckets past it, merging segments into their final form, verification.
/// Any daemon does it for all; leases only keep two from doing the same.
///
/// - Threads: calls wait for the cluster unless they say otherwise, so they are made by a thread of
///   their own.
@NullMarked
package io.widerow.storage.cassandra.maintenance;

import org.jspecify.annotations.NullMarked;
