package io.widerow.cql.define;

import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;

/// An index and how far it is built.
///
/// @param isBuilt whether it has all rows
/// @param rowsRead rows that its build has read since the last start; 0 when none ran
public record IndexStatus(Table table, SecondaryIndex index, boolean isBuilt, long rowsRead) {}
