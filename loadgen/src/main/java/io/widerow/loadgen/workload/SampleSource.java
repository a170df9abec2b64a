package io.widerow.loadgen.workload;

/// Draws one event after the other. The same seed gives the same events.
///
/// - Threads: one.
interface SampleSource {
  Sample next(String type);
}
