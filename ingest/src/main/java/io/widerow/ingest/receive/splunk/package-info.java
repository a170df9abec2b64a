/// Splunk's HTTP Event Collector (HEC): events as JSON objects one after the other, or as lines.
///
/// - Threads: the threads that decode; a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.splunk;

import org.jspecify.annotations.NullMarked;
