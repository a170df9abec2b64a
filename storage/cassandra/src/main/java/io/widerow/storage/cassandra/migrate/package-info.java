/// Moves a store between a directory and a keyspace, both ways: copies what is new, compares both
/// sides by digests, and goes on after a kill. Internal to Widerow's programs.
@NullMarked
package io.widerow.storage.cassandra.migrate;

import org.jspecify.annotations.NullMarked;
