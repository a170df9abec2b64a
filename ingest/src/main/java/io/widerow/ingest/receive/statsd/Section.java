package io.widerow.ingest.receive.statsd;

import static io.widerow.event.Utf8.ascii;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A section of a DogStatsD message whose text becomes an attribute.
final class Section {
  private static final Section CONTAINER = new Section("c:", "container", 0);
  private static final Section EXTERNAL = new Section("e:", "external", 1);
  private static final Section CARDINALITY = new Section("card:", "cardinality", 2);
  private static final Section HOST = new Section("h:", "host", 3);

  /// Of service checks.
  static final Section MESSAGE = new Section("m:", "body", 4);

  /// Of metrics.
  static final List<Section> METRIC = List.of(CONTAINER, EXTERNAL, CARDINALITY);

  /// Of events.
  static final List<Section> EVENT =
      List.of(
          CONTAINER,
          EXTERNAL,
          CARDINALITY,
          HOST,
          new Section("k:", "aggregation_key", 5),
          new Section("p:", "priority", 6),
          new Section("s:", "source_type_name", 7),
          new Section("t:", "alert_type", 8));

  /// Of service checks.
  static final List<Section> CHECK = List.of(CONTAINER, EXTERNAL, CARDINALITY, HOST, MESSAGE);

  /// All of them; each is at its place.
  static final List<Section> ALL =
      Stream.of(METRIC, EVENT, CHECK)
          .flatMap(List::stream)
          .distinct()
          .sorted(Comparator.comparingInt(section -> section.place))
          .toList();

  final byte[] prefix;
  final String attribute;
  final int place;

  private Section(String prefix, String attribute, int place) {
    this.prefix = ascii(prefix);
    this.attribute = attribute;
    this.place = place;
  }

  boolean begins(byte[] bytes, int offset, int limit) {
    int end = offset + prefix.length;
    return end <= limit && Arrays.equals(bytes, offset, end, prefix, 0, prefix.length);
  }
}
