/// What functions compute of values, whatever statement they stand in.
@NullMarked
package io.widerow.cql.function;

import org.jspecify.annotations.NullMarked;
