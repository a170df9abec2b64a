/// Alert rules: saved aggregates with thresholds, evaluated on each step of time that has passed.
/// Nothing is sent; others ask.
@NullMarked
package io.widerow.ingest.alert;

import org.jspecify.annotations.NullMarked;
