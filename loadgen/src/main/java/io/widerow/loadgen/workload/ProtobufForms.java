package io.widerow.loadgen.workload;

import io.widerow.loadgen.workload.Sample.Attribute;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Batches as the messages of OTLP, Loki and Prometheus. What all events share is there once, as
/// senders write it: resource, labels, name of the metric.
///
/// Sources: `logs.proto` and `metrics.proto` of open-telemetry/opentelemetry-proto, `push.proto` of
/// grafana/loki, `prompb/remote.proto` of prometheus/prometheus.
final class ProtobufForms {
  private ProtobufForms() {}

  /// `ExportLogsServiceRequest`: one resource, whose service is the type.
  static MarkedBytes otlpLogs(List<Sample> batch) {
    Protobuf scope = new Protobuf();
    for (int i = 0; i < batch.size(); i++) {
      Protobuf body = new Protobuf().text(1, Encoder.message(batch.get(i)), i);
      scope.message(2, new Protobuf().fixed(1, Stamp.FIXED_NANOS, i).message(5, body));
    }
    Protobuf resource = new Protobuf();
    resource.message(1, attribute("service.name", batch.get(0).type()));
    Protobuf all = new Protobuf().message(1, resource).message(2, scope);
    return new Protobuf().message(1, all).bytes();
  }

  /// The same as a message of gRPC: a byte for "not compressed", the length, big-endian.
  static MarkedBytes grpc(MarkedBytes message) {
    int size = message.size();
    return new MarkedBytes()
        .one(0)
        .one(size >> 24)
        .one(size >> 16)
        .one(size >> 8)
        .one(size)
        .append(message);
  }

  /// `ExportMetricsServiceRequest`: one gauge with a point for each sample.
  static MarkedBytes otlpMetrics(List<Sample> batch) {
    Protobuf gauge = new Protobuf();
    for (int i = 0; i < batch.size(); i++) {
      Protobuf point = new Protobuf().fixed(3, Stamp.FIXED_NANOS, i);
      point.fixed(4, Stamp.FIXED_SEQUENCE, i);
      for (Attribute tag : CounterSamples.tags(batch.get(i))) {
        point.message(7, attribute(tag.name(), tag.text()));
      }
      gauge.message(1, point);
    }
    Protobuf metric = new Protobuf().text(1, batch.get(0).type(), 0).message(5, gauge);
    Protobuf scope = new Protobuf().message(2, metric);
    return new Protobuf().message(1, new Protobuf().message(2, scope)).bytes();
  }

  private static Protobuf attribute(String key, String value) {
    return new Protobuf().text(1, key, 0).message(2, new Protobuf().text(1, value, 0));
  }

  /// `PushRequest`: one stream.
  static MarkedBytes loki(List<Sample> batch) {
    Protobuf stream =
        new Protobuf().text(1, "{service_name=\"%s\"}".formatted(batch.get(0).type()), 0);
    for (int i = 0; i < batch.size(); i++) {
      Protobuf time =
          new Protobuf().varint(1, Stamp.VARINT_SECONDS, i).varint(2, Stamp.VARINT_NANOS, i);
      stream.message(2, new Protobuf().message(1, time).text(2, Encoder.message(batch.get(i)), i));
    }
    return new Protobuf().message(1, stream).bytes();
  }

  /// `WriteRequest` of remote write 1.0: a series for each sample, its labels in order of name.
  static MarkedBytes remoteWrite(List<Sample> batch) {
    Protobuf request = new Protobuf();
    for (int i = 0; i < batch.size(); i++) {
      Map<String, String> labels = new TreeMap<>();
      labels.put("__name__", batch.get(i).type());
      for (Attribute tag : CounterSamples.tags(batch.get(i))) {
        labels.put(tag.name(), tag.text());
      }
      Protobuf series = new Protobuf();
      labels.forEach(
          (name, value) -> series.message(1, new Protobuf().text(1, name, 0).text(2, value, 0)));
      Protobuf sample = new Protobuf().fixed(1, Stamp.FIXED_SEQUENCE, i);
      series.message(2, sample.varint(2, Stamp.VARINT_MILLIS, i));
      request.message(1, series);
    }
    return request.bytes();
  }
}
