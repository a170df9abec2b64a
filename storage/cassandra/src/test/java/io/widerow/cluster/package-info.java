/// A keyspace in memory, nodes of a process each, and what tests of all modules do with them.
@NullMarked
package io.widerow.cluster;

import org.jspecify.annotations.NullMarked;
