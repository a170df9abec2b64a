package io.widerow.ingest.receive.otlp;

/// How a request of OTLP travels, and its answer.
enum Transport {
  PROTOBUF,
  JSON,
  GRPC
}
