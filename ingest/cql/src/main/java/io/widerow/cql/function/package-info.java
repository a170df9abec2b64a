/// The functions of CQL on values, independent of the statement.
@NullMarked
package io.widerow.cql.function;

import org.jspecify.annotations.NullMarked;
