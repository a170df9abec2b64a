/// Prometheus remote write, versions 1.0 and 2.0: `POST /api/v1/write`, and the descriptions of
/// metrics that it brings: `/api/v1/metadata`.
///
/// - Threads: the threads that decode; a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.prometheus;

import org.jspecify.annotations.NullMarked;
