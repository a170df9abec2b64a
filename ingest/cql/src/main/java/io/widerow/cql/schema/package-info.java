/// Keyspaces, tables and columns, and the rows that a table gives.
@NullMarked
package io.widerow.cql.schema;

import org.jspecify.annotations.NullMarked;
