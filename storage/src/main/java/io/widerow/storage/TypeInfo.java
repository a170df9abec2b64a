package io.widerow.storage;

/// Metadata of all events of a type, known without reading them.
///
/// @param events an upper bound on the number of events: replaced ones may still be counted;
///   [PartitionInfo#EVENTS_UNKNOWN] when a store would have to ask other machines for it
/// @param bytes size of the blocks in segments; events in open rows have none yet
/// @param timeFirstNanos no event is earlier; nanoseconds since the Unix epoch
/// @param timeLastNanos no event is later; nanoseconds since the Unix epoch
public record TypeInfo(
    String type, long events, long bytes, long timeFirstNanos, long timeLastNanos) {
  /// True when the number of events is known.
  public boolean isCounted() {
    return events != PartitionInfo.EVENTS_UNKNOWN;
  }

  /// Both together; they are of one type.
  public TypeInfo and(TypeInfo other) {
    return new TypeInfo(
        type,
        PartitionInfo.eventsOf(events, other.events),
        bytes + other.bytes,
        Math.min(timeFirstNanos, other.timeFirstNanos),
        Math.max(timeLastNanos, other.timeLastNanos));
  }

  /// The contribution of a partition to its type.
  public static TypeInfo of(PartitionInfo info, long bytes) {
    return new TypeInfo(
        info.key().type(), info.events(), bytes, info.timeFirstNanos(), info.timeLastNanos());
  }
}
