/// Moves a store between a directory and a keyspace, both ways: copies new events, compares both
/// sides by digests, and continues after a kill. Internal to Widerow's programs.
@NullMarked
package io.widerow.storage.cassandra.migrate;

import org.jspecify.annotations.NullMarked;
