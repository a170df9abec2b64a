/// Keys of rows as byte strings whose order, byte by byte, is that of their values.
@NullMarked
package io.widerow.cql.key;

import org.jspecify.annotations.NullMarked;
