/// From the text of a statement to its tree. Knows no schema.
@NullMarked
package io.widerow.cql.parse;

import org.jspecify.annotations.NullMarked;
