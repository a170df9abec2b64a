/// Estimates the size of wide rows: the size formulas for a described row, the layout that a load
/// gets, and the comparison of a store's partitions with that layout. Pure arithmetic.
@NullMarked
package io.widerow.query.sizing;

import org.jspecify.annotations.NullMarked;
