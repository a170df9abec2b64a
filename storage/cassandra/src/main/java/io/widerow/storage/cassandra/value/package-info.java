/// Internal. Segments as values: the events of one partition as the bytes that a row of the cluster
/// holds, and back.
@NullMarked
package io.widerow.storage.cassandra.value;

import org.jspecify.annotations.NullMarked;
