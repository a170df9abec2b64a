/// Changes of rows with all their values known, and the thread of the store that makes them.
@NullMarked
package io.widerow.cql.change;

import org.jspecify.annotations.NullMarked;
