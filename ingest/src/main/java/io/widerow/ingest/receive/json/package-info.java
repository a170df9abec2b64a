/// Widerow's own write endpoint, `POST /v1/events`: JSON lines and plain text.
///
/// - Threads: a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.json;

import org.jspecify.annotations.NullMarked;
