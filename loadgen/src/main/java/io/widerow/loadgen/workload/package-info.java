/// The workload: the requests to send, byte for byte. Deterministic: the same seed gives the same
/// events.
///
/// ```
///  Scenario ----> SamplePool ----> Encoder ----> BatchPool ----> Stamper ----> bytes of a batch
///  (event        (events drawn    (JSON, text,   (encoded        (number and
///   generator)    from a seed)     syslog ...)    batches)        time set in)
///  `------------------ before the run -----------------'  `----- while it runs -----'
/// ```
///
/// - Threads: the pools are built by one thread before a run and are then immutable. Each sender
///   has a [Stamper] of its own.
@NullMarked
package io.widerow.loadgen.workload;

import org.jspecify.annotations.NullMarked;
