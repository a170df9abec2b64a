package io.widerow.storage;

import io.widerow.event.EventView;

/// A position in the order of arrival: what a view shows, and so which later events are new. It
/// stays valid across restarts and everything that a store does in the background. It belongs to
/// the kind of store that gave it: [LaneArrivals] to one on this machine, [ClusterArrivals] to one
/// on a cluster.
public sealed interface Arrivals permits LaneArrivals, ClusterArrivals {
  /// The most characters of a position that a message quotes.
  int QUOTED_CHARS_MAX = 200;

  /// True when an event arrived after this position.
  ///
  /// @param shard of the partition that holds the event
  boolean isNew(EventView event, int shard);

  /// Requires that another position is one of the same kind of store.
  ///
  /// @throws IllegalArgumentException when it is not; the message quotes its beginning
  void requireKindOf(Arrivals other);

  /// The beginning of a position's text, for messages: that of a cluster may be long.
  static String quoted(String position) {
    return position.length() <= QUOTED_CHARS_MAX
        ? position
        : position.substring(0, QUOTED_CHARS_MAX) + "...";
  }

  /// Parses the text form, [Object#toString].
  ///
  /// @throws IllegalArgumentException when the text is not a position; the message quotes its
  ///   beginning
  static Arrivals parse(String text) {
    if (text.startsWith(LaneArrivals.PREFIX)) {
      return LaneArrivals.parse(text);
    }
    if (text.startsWith(ClusterArrivals.PREFIX)) {
      return ClusterArrivals.parse(text);
    }
    throw new IllegalArgumentException(
        "a position in the order of arrival starts with %s or %s, got %s"
            .formatted(LaneArrivals.PREFIX, ClusterArrivals.PREFIX, quoted(text)));
  }
}
