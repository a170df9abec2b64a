package io.widerow.ingest.transform;

import io.widerow.storage.Filter;

/// One rule: which events, and what happens to them.
///
/// @param line in its file, from 1
record Transform(int line, Filter when, Action action) {}
