/// Series of metrics that were seen before, so that a point of one costs little more than its
/// numbers.
@NullMarked
package io.widerow.ingest.series;

import org.jspecify.annotations.NullMarked;
