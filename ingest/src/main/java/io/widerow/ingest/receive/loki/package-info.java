/// Loki's push protocol, in protobuf and in JSON: `POST /loki/api/v1/push`, `POST /api/prom/push`.
///
/// - Threads: a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.loki;

import org.jspecify.annotations.NullMarked;
