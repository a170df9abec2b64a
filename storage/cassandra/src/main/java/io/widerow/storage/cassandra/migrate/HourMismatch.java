package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.storage.digest.EventDigest;

/// An hour of a type in which both sides differ. Hours, whatever the width of buckets: it is the
/// same on both sides.
///
/// @param hour the hour, as a bucket
/// @param from the events of the source
/// @param to the events of the target, each once
/// @param doubles how many more it has when its partitions are counted one by one, as aggregates do
public record HourMismatch(
    Bucket hour, String type, EventDigest from, EventDigest to, long doubles) {
  /// A line for people.
  @Override
  public String toString() {
    String name = hour.text() + "|" + type;
    String twice =
        doubles == 0 ? "" : "; aggregates count %,d of the target twice".formatted(doubles);
    if (from.events() == to.events()) {
      return "%s: %,d events on both sides%s%s"
          .formatted(name, from.events(), from.equals(to) ? "" : ", with other contents", twice);
    }
    return "%s: %,d events in the source, %,d in the target, %+,d%s"
        .formatted(name, from.events(), to.events(), to.events() - from.events(), twice);
  }
}
