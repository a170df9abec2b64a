/// StatsD and DogStatsD over UDP and TCP: metrics, events and service checks.
///
/// - Threads: that of its receiver.
@NullMarked
package io.widerow.ingest.receive.statsd;

import org.jspecify.annotations.NullMarked;
