package io.widerow.ingest.transform;

import io.widerow.storage.Filter;

/// A transform: the events that it changes, and how.
///
/// @param line in its file, from 1
record Transform(int line, Filter when, Action action) {}
