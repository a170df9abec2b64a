package io.widerow.ingest.receive.statsd;

import java.util.Arrays;
import java.util.List;

/// A section of a DogStatsD message whose text becomes an attribute.
final class Section {
  private static final Section CONTAINER = new Section("c:", "container");
  private static final Section EXTERNAL = new Section("e:", "external");
  private static final Section CARDINALITY = new Section("card:", "cardinality");
  private static final Section HOST = new Section("h:", "host");

  /// Of service checks.
  static final Section MESSAGE = new Section("m:", "body");

  /// Of metrics.
  static final List<Section> METRIC = List.of(CONTAINER, EXTERNAL, CARDINALITY);

  /// Of events.
  static final List<Section> EVENT =
      List.of(
          CONTAINER,
          EXTERNAL,
          CARDINALITY,
          HOST,
          new Section("k:", "aggregation_key"),
          new Section("p:", "priority"),
          new Section("s:", "source_type_name"),
          new Section("t:", "alert_type"));

  /// Of service checks.
  static final List<Section> CHECK = List.of(CONTAINER, EXTERNAL, CARDINALITY, HOST, MESSAGE);

  /// No message has more of them.
  static final int MAX = EVENT.size();

  final byte[] prefix;
  final byte[] attribute;

  private Section(String prefix, String attribute) {
    this.prefix = Message.ascii(prefix);
    this.attribute = Message.ascii(attribute);
  }

  boolean begins(byte[] bytes, int offset, int limit) {
    int end = offset + prefix.length;
    return end <= limit && Arrays.equals(bytes, offset, end, prefix, 0, prefix.length);
  }
}
