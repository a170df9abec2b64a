/// Requests of Prometheus: remote read, `POST /api/v1/read`, and labels and series.
///
/// - Threads: a virtual thread per query.
@NullMarked
package io.widerow.ingest.serve.prometheus;

import org.jspecify.annotations.NullMarked;
