/// Elasticsearch's bulk API, `POST /_bulk`, and what its clients ask before they use it.
///
/// - Threads: a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.elastic;

import org.jspecify.annotations.NullMarked;
