/// Tables: rows under byte strings as keys, each merged from the fragments that were written to it.
///
/// Nothing here knows a type or a name of CQL: a key is a byte string that is compared byte by
/// byte, a column is a number, a value is bytes. Time, tombstones and expiry are known, since they
/// decide which cells of a row remain. Users of tables see only [io.widerow.cql.store.TableStore]
/// of the store.
@NullMarked
package io.widerow.cql.store;

import org.jspecify.annotations.NullMarked;
