package io.widerow.storage.cassandra;

import io.widerow.event.EventId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What [ClusterSimulation] holds of every moment.
final class SentCheck {
  private SentCheck() {}

  /// What readers see now: batches whole, nothing twice, and all that is said to be applied.
  ///
  /// @param all batches that were sent
  /// @param writes events with ids of their own that were acknowledged, in order
  static Map<Long, List<ShownEvents.Found>> check(
      List<ShownEvents.Found> seen, List<Sent> all, Map<EventId, List<Long>> writes) {
    Map<Long, List<ShownEvents.Found>> shown = new HashMap<>();
    Map<EventId, ShownEvents.Found> latest = new HashMap<>();
    for (ShownEvents.Found found : seen) {
      shown.computeIfAbsent(found.number(), _ -> new ArrayList<>()).add(found);
      latest.merge(found.id(), found, (a, b) -> a.version() >= b.version() ? a : b);
    }
    shown.forEach((event, found) -> {
      if (found.size() > 1) {
        throw new AssertionError("event " + event + " is there twice: " + found);
      }
    });
    for (Sent sent : all) {
      long plain = sent.numbers.stream().filter(event -> !sent.ids.containsKey(event)).count();
      long there =
          sent.numbers.stream()
              .filter(event -> !sent.ids.containsKey(event) && shown.containsKey(event))
              .count();
      if (there != 0 && there != plain) {
        throw new AssertionError("a part of the batch " + sent.numbers + " is shown: " + there);
      }
      if (sent.applied && there != plain) {
        throw new AssertionError("the batch " + sent.numbers + " is applied and not shown");
      }
      if (there > 0 && sent.wasRefused()) {
        throw new AssertionError("the batch " + sent.numbers + " was refused and is shown");
      }
      if (sent.applied || there > 0) {
        sent.ids.forEach((event, id) -> {
          if (!isThere(id, event, shown)) {
            throw new AssertionError("the batch " + sent.numbers + " is shown without " + event);
          }
        });
      }
    }
    writes.forEach((id, numbers) -> {
      ShownEvents.Found last = latest.get(id);
      for (int i = 1; i < numbers.size(); i++) {
        List<ShownEvents.Found> before = shown.get(numbers.get(i - 1));
        List<ShownEvents.Found> after = shown.get(numbers.get(i));
        if (before != null
            && after != null
            && before.getFirst().version() >= after.getFirst().version()) {
          throw new AssertionError("versions of " + id + " fall: " + before + ", " + after);
        }
      }
      if (last != null
          && !numbers.contains(last.number())
          && all.stream().noneMatch(sent -> sent.ids.containsKey(last.number()))) {
        throw new AssertionError("nobody wrote " + last);
      }
    });
    return shown;
  }

  /// True when a write of an id is shown, or a later one, which need not be acknowledged.
  static boolean isThere(EventId id, long event, Map<Long, List<ShownEvents.Found>> shown) {
    return shown.values().stream()
        .map(List::getFirst)
        .anyMatch(found -> found.id().equals(id) && found.number() >= event);
  }
}
