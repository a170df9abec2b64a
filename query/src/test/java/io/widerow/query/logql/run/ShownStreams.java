package io.widerow.query.logql.run;

import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.OutputBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The streams of a response as a client of Loki reads them.
public final class ShownStreams {
  private ShownStreams() {}

  /// A line.
  ///
  /// @param more metadata and parsed labels, as JSON; empty unless labels are separated
  public record Entry(long timeNanos, String text, String more) {}

  /// The entries of each stream.
  public static Map<LabelSet, List<Entry>> of(StreamEntries entries) {
    OutputBuffer out = new OutputBuffer(1 << 10);
    entries.write(out);
    Map<LabelSet, List<Entry>> streams = new LinkedHashMap<>();
    for (JsonNode stream : items(parsed(out.toString()))) {
      List<Entry> of = new ArrayList<>();
      for (JsonNode values : items(member(stream, "values"))) {
        List<JsonNode> parts = items(values);
        String more = parts.size() < 3 ? "" : parts.get(2).source().substring(parts.get(2).from());
        of.add(
            new Entry(
                Long.parseLong(parts.getFirst().toString()),
                parts.get(1).toString(),
                more.isEmpty() ? "" : more.substring(0, parts.get(2).length())));
      }
      streams.put(new LabelSet(member(stream, "stream").texts()), of);
    }
    return streams;
  }

  /// The entries of all streams, one stream after the other.
  public static List<Entry> all(StreamEntries entries) {
    return of(entries).values().stream().flatMap(List::stream).toList();
  }

  private static JsonNode parsed(String text) {
    try {
      return JsonNode.parse(text, JsonNode.DEPTH_MAX, _ -> {});
    } catch (JsonException broken) {
      throw new AssertionError(text, broken);
    }
  }

  private static List<JsonNode> items(JsonNode of) {
    return Objects.requireNonNull(of.items());
  }

  private static JsonNode member(JsonNode of, String name) {
    return Objects.requireNonNull(Objects.requireNonNull(of.members()).get(name));
  }
}
