package io.widerow.ingest.rules;

import io.widerow.storage.Filter;

/// One rule: which events, and what happens to them.
///
/// @param line in its file, from 1
record Rule(int line, Filter when, Action action) {}
