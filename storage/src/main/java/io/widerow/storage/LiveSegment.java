package io.widerow.storage;

/// A segment that the manifest names, and its open file.
record LiveSegment(SegmentEntry entry, Segment segment) {}
