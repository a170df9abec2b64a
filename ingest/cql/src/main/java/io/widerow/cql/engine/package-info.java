/// Internal. Rows of tables: fragments and their merge, the memory that takes them (memtables), the
/// table files (sorted string tables), the lane that writes, and what a start does with all that.
@NullMarked
package io.widerow.cql.engine;

import org.jspecify.annotations.NullMarked;
