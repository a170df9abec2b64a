package io.widerow.query.logql.run;

import io.widerow.query.Token;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.output.OutputBuffer;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes answers as Loki does.
///
/// ```
/// {"status":"success","data":{"resultType":"streams","result":[...],"stats":{...}}}
/// ```
public final class LokiJson {
  private static final String END = "}\n";

  /// The name of the encoding that separates labels.
  public static final String CATEGORIZE = "categorize-labels";

  private LokiJson() {}

  /// Lines by stream.
  public static void streams(StreamEntries entries, LogqlContext cost, OutputBuffer out) {
    streams(entries, null, cost, out);
  }

  /// Lines by stream.
  ///
  /// @param token where the next page starts; null without one
  public static void streams(
      StreamEntries entries, @Nullable Token token, LogqlContext cost, OutputBuffer out) {
    out.put("{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",");
    flags(entries, out);
    out.put("\"result\":");
    entries.write(out);
    stats(cost, out);
    out.put(token == null ? "}}\n" : "},\"token\":\"" + token + "\"}\n");
  }

  /// A message of a tail.
  ///
  /// @param droppedNanos the time up to which lines are missing; null when none are
  public static void tailed(StreamEntries entries, @Nullable Long droppedNanos, OutputBuffer out) {
    out.put('{');
    flags(entries, out);
    out.put("\"streams\":");
    entries.write(out);
    out.put(",\"dropped_entries\":");
    out.put(
        droppedNanos == null ? "null" : "[{\"labels\":{},\"timestamp\":\"" + droppedNanos + "\"}]");
    out.put('}');
  }

  private static void flags(StreamEntries entries, OutputBuffer out) {
    if (entries.isCategorized()) {
      out.put("\"encodingFlags\":[\"" + CATEGORIZE + "\"],");
    }
  }

  /// An entry of a stream: time, text and, when labels are separated, metadata and parsed labels.
  static void entry(Line line, boolean categorized, OutputBuffer out) {
    out.put("[\"" + line.timeNanos() + "\",");
    text(line.text(), out);
    if (categorized) {
      Map<String, String> metadata = line.labels(Category.METADATA);
      Map<String, String> parsed = line.labels(Category.PARSED);
      out.put(",{");
      if (!metadata.isEmpty()) {
        out.put("\"structuredMetadata\":");
        labels(metadata, out);
      }
      out.put(metadata.isEmpty() || parsed.isEmpty() ? "" : ",");
      if (!parsed.isEmpty()) {
        out.put("\"parsed\":");
        labels(parsed, out);
      }
      out.put('}');
    }
    out.put(']');
  }

  /// Numbers at several steps.
  public static void matrix(
      List<LogqlSeries> series, Steps steps, LogqlContext cost, OutputBuffer out) {
    begin("matrix", out);
    String comma = "";
    for (LogqlSeries one : series) {
      if (one.isEmpty()) {
        continue;
      }
      out.put(comma);
      out.put("{\"metric\":");
      labels(one.labels().labels(), out);
      out.put(",\"values\":[");
      String between = "";
      for (int i = 0; i < steps.count(); i++) {
        if (one.has(i)) {
          out.put(between);
          point(steps.at(i), one.at(i), out);
          between = ",";
        }
      }
      out.put("]}");
      comma = ",";
    }
    out.put(']');
    stats(cost, out);
    out.put("}}\n");
  }

  /// Numbers at one instant.
  public static void vector(
      List<LogqlSeries> series, long atNanos, LogqlContext cost, OutputBuffer out) {
    begin("vector", out);
    String comma = "";
    for (LogqlSeries one : series) {
      if (one.has(0)) {
        out.put(comma);
        out.put("{\"metric\":");
        labels(one.labels().labels(), out);
        out.put(",\"value\":");
        point(atNanos, one.at(0), out);
        out.put('}');
        comma = ",";
      }
    }
    out.put(']');
    stats(cost, out);
    out.put("}}\n");
  }

  /// A number at one instant.
  public static void scalar(double value, long atNanos, LogqlContext cost, OutputBuffer out) {
    out.put("{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":");
    point(atNanos, value, out);
    stats(cost, out);
    out.put("}}\n");
  }

  /// Adds warnings to a result that is complete.
  public static void warnings(List<String> warnings, OutputBuffer out) {
    if (!warnings.isEmpty()) {
      out.truncate(out.length() - END.length());
      out.put(",\"warnings\":");
      texts(warnings, out);
      out.put(END);
    }
  }

  private static void begin(String type, OutputBuffer out) {
    out.put("{\"status\":\"success\",\"data\":{\"resultType\":\"" + type + "\",\"result\":[");
  }

  private static void stats(LogqlContext cost, OutputBuffer out) {
    out.put(",\"stats\":{\"summary\":{\"execTime\":");
    out.put(plain(cost.elapsedNanos() / 1e9));
    out.put(",\"totalBytesProcessed\":" + cost.bytesRead());
    out.put(",\"totalLinesProcessed\":" + cost.eventsScanned());
    out.put(",\"totalEntriesReturned\":" + cost.eventsKept() + "}}");
  }

  /// `{"status":"success","data":["a","b"]}`.
  public static void list(Collection<String> values, OutputBuffer out) {
    out.put("{\"status\":\"success\",\"data\":");
    texts(values, out);
    out.put("}\n");
  }

  /// `{"status":"success","data":[{"app":"x"}]}`.
  public static void sets(Collection<LabelSet> sets, OutputBuffer out) {
    out.put("{\"status\":\"success\",\"data\":[");
    String comma = "";
    for (LabelSet set : sets) {
      out.put(comma);
      labels(set.labels(), out);
      comma = ",";
    }
    out.put("]}\n");
  }

  /// A list of texts.
  public static void texts(Collection<String> values, OutputBuffer out) {
    out.put('[');
    String comma = "";
    for (String value : values) {
      out.put(comma);
      text(value, out);
      comma = ",";
    }
    out.put(']');
  }

  /// Labels as an object.
  static void labels(Map<String, String> labels, OutputBuffer out) {
    out.put('{');
    String comma = "";
    for (Map.Entry<String, String> label : labels.entrySet()) {
      out.put(comma);
      text(label.getKey(), out);
      out.put(':');
      text(label.getValue(), out);
      comma = ",";
    }
    out.put('}');
  }

  /// A text in quotes.
  public static void text(String value, OutputBuffer out) {
    out.put('"');
    out.putJson(value);
    out.put('"');
  }

  /// `[seconds,"number"]`, the seconds to the millisecond.
  private static void point(long nanos, double value, OutputBuffer out) {
    long millis = Math.floorDiv(nanos, 1_000_000L);
    String seconds = BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString();
    out.put("[" + seconds + ",\"" + plain(value) + "\"]");
  }

  /// A number without an exponent.
  public static String plain(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }
}
