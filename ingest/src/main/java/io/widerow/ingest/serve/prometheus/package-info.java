/// What Prometheus asks: remote read, `POST /api/v1/read`, and which labels and series there are.
///
/// - Threads: a virtual thread per question.
@NullMarked
package io.widerow.ingest.serve.prometheus;

import org.jspecify.annotations.NullMarked;
