/// OpenTelemetry protocol 1.x: logs, metrics and traces over HTTP (protobuf and JSON) and gRPC.
///
/// - Threads: a decoder belongs to one request.
@NullMarked
package io.widerow.ingest.receive.otlp;

import org.jspecify.annotations.NullMarked;
