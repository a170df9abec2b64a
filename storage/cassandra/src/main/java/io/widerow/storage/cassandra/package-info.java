/// The store on Apache Cassandra: the second `EventStore`. Events are journaled on this machine,
/// applied to a keyspace as segments in wide rows, and read from there by any number of daemons.
@NullMarked
package io.widerow.storage.cassandra;

import org.jspecify.annotations.NullMarked;
