/// Logs as agents and libraries send them to Datadog: arrays of JSON objects.
///
/// - Threads: the threads that decode; a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.datadog;

import org.jspecify.annotations.NullMarked;
