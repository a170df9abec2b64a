/// Internal. Statistics that a table file has in addition to its rows: which keys it may have, how
/// wide its partitions are, and from which files it was made.
@NullMarked
package io.widerow.cql.tablestats;

import org.jspecify.annotations.NullMarked;
