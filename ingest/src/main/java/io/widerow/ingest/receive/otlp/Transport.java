package io.widerow.ingest.receive.otlp;

/// The transport of a request of OTLP and of its response.
enum Transport {
  PROTOBUF,
  JSON,
  GRPC
}
