/// Internal. The write side of a store on a cluster: takes events out of the store on this machine
/// by their order of arrival, and applies them to the keyspace, round by round.
@NullMarked
package io.widerow.storage.cassandra.apply;

import org.jspecify.annotations.NullMarked;
