/// Health, readiness, status, metrics and snapshots over HTTP.
///
/// - Threads: event loops; snapshots on blocking threads.
@NullMarked
package io.widerow.ingest.serve.status;

import org.jspecify.annotations.NullMarked;
