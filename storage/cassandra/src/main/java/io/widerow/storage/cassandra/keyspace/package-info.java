/// Internal. The keyspace of a cluster store as the few statements that the store makes of it: the
/// schema, and the driver behind an interface, so that tests can put a simulated cluster in its
/// stead. Nothing else knows the driver.
///
/// - Threads: any, unless a class says otherwise.
@NullMarked
package io.widerow.storage.cassandra.keyspace;

import org.jspecify.annotations.NullMarked;
