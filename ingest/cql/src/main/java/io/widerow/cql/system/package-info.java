/// The tables from which drivers and tools learn what a server is and what tables it has.
@NullMarked
package io.widerow.cql.system;

import org.jspecify.annotations.NullMarked;
