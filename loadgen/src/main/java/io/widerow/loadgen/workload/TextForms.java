package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.workload.Sample.Attribute;
import java.util.List;
import java.util.stream.Collectors;

/// Batches in the formats of other systems that are text: the JSON of agents, the journal's export
/// format, the lines of StatsD and Graphite.
///
/// Sources: OTLP's `docs/specification.md`, Loki's HTTP API, Elasticsearch's bulk API, Splunk's
/// HTTP event collector, Datadog's logs API, GELF 1.1, systemd's `JOURNAL_EXPORT_FORMATS.md`,
/// DogStatsD 1.3, Graphite's "Feeding in your data".
final class TextForms {
  /// What a datagram holds on an Ethernet, without the headers.
  private static final int DATAGRAM_BYTES = 1_432;

  private TextForms() {}

  /// `ExportLogsServiceRequest` as JSON.
  static MarkedBytes otlpJson(List<Sample> batch) {
    MarkedBytes out =
        new MarkedBytes()
            .text("{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",")
            .text("\"value\":{\"stringValue\":" + quoted(batch.get(0).type()) + "}}]},")
            .text("\"scopeLogs\":[{\"logRecords\":[");
    for (int i = 0; i < batch.size(); i++) {
      out.text(separator(i))
          .text("{\"timeUnixNano\":\"" + Stamp.EPOCH_NANOS.mark() + "\",", i)
          .text("\"body\":{\"stringValue\":" + line(batch.get(i)) + "}}", i);
    }
    return out.text("]}]}]}");
  }

  static MarkedBytes lokiJson(List<Sample> batch) {
    String stream = "{\"service_name\":" + quoted(batch.get(0).type()) + "}";
    MarkedBytes out = new MarkedBytes().text("{\"streams\":[{\"stream\":" + stream);
    out.text(",\"values\":[");
    for (int i = 0; i < batch.size(); i++) {
      out.text(separator(i))
          .text("[\"" + Stamp.EPOCH_NANOS.mark() + "\"," + line(batch.get(i)) + "]", i);
    }
    return out.text("]}]}");
  }

  static MarkedBytes bulk(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      out.text("{\"create\":{\"_index\":" + quoted(batch.get(i).type()) + "}}\n")
          .text("{\"@timestamp\":\"" + Stamp.RFC3339.mark() + "\",", i)
          .text("\"message\":" + line(batch.get(i)) + "}\n", i);
    }
    return out;
  }

  /// Objects one behind the other.
  static MarkedBytes hec(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      out.text("{\"time\":\"" + Stamp.EPOCH_DECIMALS.mark() + "\",", i)
          .text("\"sourcetype\":" + quoted(batch.get(i).type()) + ",")
          .text("\"event\":" + line(batch.get(i)) + "}", i);
    }
    return out;
  }

  static MarkedBytes datadog(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes().text("[");
    for (int i = 0; i < batch.size(); i++) {
      out.text(separator(i))
          .text("{\"service\":" + quoted(batch.get(i).type()) + ",")
          .text("\"timestamp\":" + Stamp.EPOCH_MILLIS.mark() + ",", i)
          .text("\"message\":" + line(batch.get(i)) + "}", i);
    }
    return out.text("]");
  }

  /// One event, which is all that a request may have.
  static MarkedBytes gelf(List<Sample> batch) {
    Sample sample = batch.get(0);
    return new MarkedBytes()
        .text("{\"version\":\"1.1\",\"host\":\"load\",\"timestamp\":")
        .text(Stamp.EPOCH_DECIMALS.mark() + ",\"_app\":" + quoted(sample.type()), 0)
        .text(",\"short_message\":" + line(sample) + "}", 0);
  }

  /// Entries of a journal, each with a cursor that no other has.
  static MarkedBytes journal(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      Sample sample = batch.get(i);
      out.text("__CURSOR=s=load;i=" + Stamp.SEQUENCE.mark(), i)
          .text(";t=" + Stamp.EPOCH_NANOS.mark() + "\n", i)
          .text("__REALTIME_TIMESTAMP=" + Stamp.EPOCH_MICROS.mark() + "\n", i)
          .text("SYSLOG_IDENTIFIER=" + sample.type() + "\n")
          .text("MESSAGE=" + Encoder.message(sample) + "\n\n", i);
    }
    return out;
  }

  /// Lines of DogStatsD with the time that its version 1.3 has.
  static MarkedBytes statsd(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      out.append(statsd(batch.get(i), i)).text("\n");
    }
    return out;
  }

  /// The same in datagrams, each with its length and a blank in front.
  static MarkedBytes statsdDatagrams(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    MarkedBytes datagram = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      MarkedBytes line = statsd(batch.get(i), i);
      if (datagram.size() > 0 && datagram.size() + 1 + line.size() > DATAGRAM_BYTES) {
        out.text(datagram.size() + " ").append(datagram);
        datagram = new MarkedBytes();
      }
      datagram.text(datagram.size() == 0 ? "" : "\n").append(line);
    }
    return out.text(datagram.size() + " ").append(datagram);
  }

  private static MarkedBytes statsd(Sample sample, int event) {
    return new MarkedBytes()
        .text(sample.type() + ":" + Stamp.SEQUENCE.mark() + "|g|#", event)
        .text(tags(sample, ":", ","))
        .text("|T" + Stamp.EPOCH_SECONDS.mark(), event);
  }

  static MarkedBytes graphite(List<Sample> batch) {
    MarkedBytes out = new MarkedBytes();
    for (int i = 0; i < batch.size(); i++) {
      out.text(batch.get(i).type() + ";" + tags(batch.get(i), "=", ";"))
          .text(" " + Stamp.SEQUENCE.mark() + " " + Stamp.EPOCH_DECIMALS.mark() + "\n", i);
    }
    return out;
  }

  private static String tags(Sample sample, String is, String next) {
    return CounterSamples.tags(sample).stream()
        .map((Attribute tag) -> tag.name() + is + tag.text())
        .collect(Collectors.joining(next));
  }

  private static String line(Sample sample) {
    return quoted(Encoder.message(sample));
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    FlatJson.quote(text, out);
    return out.toString();
  }

  private static String separator(int event) {
    return event == 0 ? "" : ",";
  }
}
