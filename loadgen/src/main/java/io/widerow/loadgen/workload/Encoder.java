package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.workload.Sample.Attribute;
import java.nio.charset.StandardCharsets;

/// Encodes events in the form that a target reads, with marks where stamps will be written.
public final class Encoder {
  private static final String SYSLOG_HEAD = "<134>1 ";

  private Encoder() {}

  static void encode(Target target, Sample sample, StringBuilder out) {
    switch (target) {
      case WIDEROW_TEXT, NULL -> out.append(textLine(sample)).append('\n');
      case WIDEROW_JSON -> json(sample, out);
      case WIDEROW_LINES -> lines(sample, out);
      case SYSLOG, SYSLOG_UDP -> syslog(sample, out);
      case CASSANDRA ->
          out.append(Stamp.EPOCH_NANOS.mark()).append(' ').append(message(sample)).append('\n');
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
        case TAG -> FlatJson.quote(attribute.text(), out);
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
      out.append(" body=\"").append(sample.body().replace("\\", "\\\\").replace("\"", "\\\""));
      out.append('"');
      separator = ',';
    }
    for (Attribute attribute : sample.attributes()) {
      if (attribute.kind() != Sample.Kind.TAG) {
        out.append(separator).append(attribute.name()).append('=').append(attribute.text());
        separator = ',';
        if (attribute.kind() == Sample.Kind.LONG) {
          out.append('i');
        }
      }
    }
    out.append(' ').append(Stamp.EPOCH_NANOS.mark()).append('\n');
  }

  /// RFC 5424 with its length in front (octet counting); the type is the program's name.
  private static void syslog(Sample sample, StringBuilder out) {
    StringBuilder frame = new StringBuilder(SYSLOG_HEAD);
    frame.append(Stamp.RFC3339_MICROS.mark()).append(" load ").append(sample.type());
    frame.append(" - - - ");
    frame.append(message(sample));
    out.append(bytes(frame)).append(' ').append(frame);
  }

  /// Length in UTF-8 with the stamps written.
  private static int bytes(StringBuilder marked) {
    int bytes = 0;
    StringBuilder rest = new StringBuilder(marked.length());
    for (int i = 0; i < marked.length(); i++) {
      char c = marked.charAt(i);
      if (Stamp.isMark(c)) {
        bytes += Stamp.ofMark(c).width;
      } else {
        rest.append(c);
      }
    }
    return bytes + rest.toString().getBytes(StandardCharsets.UTF_8).length;
  }
}
