package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.workload.Sample.Attribute;
import java.util.List;

/// Encodes batches in the form that a target reads, with places where stamps will be written.
public final class Encoder {
  private static final String SYSLOG_HEAD = "<134>1 ";

  private Encoder() {}

  static MarkedBytes encode(Target target, List<Sample> batch) {
    return switch (target) {
      case OTLP -> ProtobufForms.otlpLogs(batch);
      case OTLP_GRPC -> ProtobufForms.grpc(ProtobufForms.otlpLogs(batch));
      case OTLP_METRICS -> ProtobufForms.otlpMetrics(batch);
      case OTLP_JSON -> TextForms.otlpJson(batch);
      case LOKI -> ProtobufForms.loki(batch).snappy();
      case LOKI_JSON -> TextForms.lokiJson(batch);
      case PRW -> ProtobufForms.remoteWrite(batch).snappy();
      case BULK -> TextForms.bulk(batch);
      case HEC -> TextForms.hec(batch);
      case DATADOG -> TextForms.datadog(batch);
      case GELF -> TextForms.gelf(batch);
      case JOURNAL -> TextForms.journal(batch);
      case FLUENT -> FluentForm.packed(batch);
      case STATSD -> TextForms.statsd(batch);
      case STATSD_UDP -> TextForms.statsdDatagrams(batch);
      case GRAPHITE -> TextForms.graphite(batch);
      case WIDEROW_TEXT,
          NULL,
          WIDEROW_JSON,
          WIDEROW_LINES,
          INFLUX3,
          SYSLOG,
          SYSLOG_UDP,
          CASSANDRA ->
          eachAlone(target, batch);
    };
  }

  private static MarkedBytes eachAlone(Target target, List<Sample> batch) {
    MarkedBytes all = new MarkedBytes();
    StringBuilder event = new StringBuilder(512);
    for (int i = 0; i < batch.size(); i++) {
      event.setLength(0);
      encode(target, batch.get(i), event);
      all.text(event, i);
    }
    return all;
  }

  private static void encode(Target target, Sample sample, StringBuilder out) {
    switch (target) {
      case WIDEROW_TEXT, NULL -> out.append(textLine(sample)).append('\n');
      case WIDEROW_JSON -> json(sample, out);
      case WIDEROW_LINES, INFLUX3 -> lines(sample, out);
      case SYSLOG, SYSLOG_UDP -> syslog(sample, out);
      case CASSANDRA ->
          out.append(Stamp.EPOCH_NANOS.mark()).append(' ').append(message(sample)).append('\n');
      default -> throw new IllegalStateException(target + " has a form of its own");
    }
  }

  /// The line that is the event's body for a target that takes text.
  public static String textLine(Sample sample) {
    return sample.body() != null ? sample.body() : Stamp.RFC3339.mark() + " " + message(sample);
  }

  /// The event as text: its body, or its attributes as `name=value`.
  public static String message(Sample sample) {
    if (sample.body() != null) {
      return sample.body();
    }
    StringBuilder out = new StringBuilder(256);
    String separator = "";
    for (Attribute attribute : sample.attributes()) {
      out.append(separator).append(attribute.name()).append('=').append(attribute.text());
      separator = " ";
    }
    return out.toString();
  }

  private static void json(Sample sample, StringBuilder out) {
    out.append("{\"ts\":\"").append(Stamp.RFC3339.mark()).append("\",\"type\":");
    FlatJson.quote(sample.type(), out);
    if (sample.body() != null) {
      out.append(",\"body\":");
      FlatJson.quote(sample.body(), out);
    }
    for (Attribute attribute : sample.attributes()) {
      out.append(",\"").append(attribute.name()).append("\":");
      switch (attribute.kind()) {
        case TAG, TEXT -> FlatJson.quote(attribute.text(), out);
        case LONG, DOUBLE -> out.append(attribute.text());
      }
    }
    out.append("}\n");
  }

  private static void lines(Sample sample, StringBuilder out) {
    out.append(sample.type());
    for (Attribute attribute : sample.attributes()) {
      if (attribute.kind() == Sample.Kind.TAG) {
        out.append(',').append(attribute.name()).append('=').append(attribute.text());
      }
    }
    char separator = ' ';
    if (sample.body() != null) {
      out.append(" body=");
      quoted(sample.body(), out);
      separator = ',';
    }
    for (Attribute attribute : sample.attributes()) {
      if (attribute.kind() != Sample.Kind.TAG) {
        out.append(separator).append(attribute.name()).append('=');
        separator = ',';
        switch (attribute.kind()) {
          case TAG, DOUBLE -> out.append(attribute.text());
          case LONG -> out.append(attribute.text()).append('i');
          case TEXT -> quoted(attribute.text(), out);
        }
      }
    }
    out.append(' ').append(Stamp.EPOCH_NANOS.mark()).append('\n');
  }

  private static void quoted(String text, StringBuilder out) {
    out.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
  }

  /// RFC 5424 with its length in front (octet counting); the type is the program's name.
  private static void syslog(Sample sample, StringBuilder out) {
    StringBuilder frame = new StringBuilder(SYSLOG_HEAD);
    frame.append(Stamp.RFC3339_MICROS.mark()).append(" load ").append(sample.type());
    frame.append(" - - - ");
    frame.append(message(sample));
    int bytes = new MarkedBytes().text(frame, 0).size();
    out.append(bytes).append(' ').append(frame);
  }
}
