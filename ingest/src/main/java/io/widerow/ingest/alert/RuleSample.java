package io.widerow.ingest.alert;

import io.widerow.query.series.Labels;

/// A value of a series at the time of an evaluation.
///
/// @param labels with the name, if it has one
record RuleSample(Labels labels, double value) {}
