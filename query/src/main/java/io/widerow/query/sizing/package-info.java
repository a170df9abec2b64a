/// How large wide rows become: the size formulas for a described row, the form that a load gets,
/// and what a store's partitions look like beside it. Pure arithmetic.
@NullMarked
package io.widerow.query.sizing;

import org.jspecify.annotations.NullMarked;
