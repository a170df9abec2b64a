package io.widerow.storage;

/// What is known of all events of a type without reading them.
///
/// @param events an upper bound on the number of events: replaced ones may still be counted
/// @param bytes size of the blocks in segments; events in open rows have none yet
/// @param timeFirstNanos no event is earlier; nanoseconds since the Unix epoch
/// @param timeLastNanos no event is later; nanoseconds since the Unix epoch
public record TypeInfo(
    String type, long events, long bytes, long timeFirstNanos, long timeLastNanos) {
  /// Both together; they are of one type.
  public TypeInfo and(TypeInfo other) {
    return new TypeInfo(
        type,
        events + other.events,
        bytes + other.bytes,
        Math.min(timeFirstNanos, other.timeFirstNanos),
        Math.max(timeLastNanos, other.timeLastNanos));
  }

  /// What a partition adds to its type.
  public static TypeInfo of(PartitionInfo info, long bytes) {
    return new TypeInfo(
        info.key().type(), info.events(), bytes, info.timeFirstNanos(), info.timeLastNanos());
  }
}
