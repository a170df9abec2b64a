/// Tables of users, read: from conditions to ranges of keys, and from fragments to rows.
@NullMarked
package io.widerow.cql.table;

import org.jspecify.annotations.NullMarked;
