/// `widerow cql`: statements of CQL for a daemon, from the command line, from a file or at a
/// prompt. It speaks version 4 of the native protocol, which Apache Cassandra 2.2 and later speak
/// too.
@NullMarked
package io.widerow.cli.cql;

import org.jspecify.annotations.NullMarked;
