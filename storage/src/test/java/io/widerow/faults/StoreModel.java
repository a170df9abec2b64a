package io.widerow.faults;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Oracle of the model tests: what a store must show, as a plain sorted map. The attribute `n`,
/// which the test makes unique, identifies an event. Ids assigned by the store are learnt when they
/// are first shown.
public final class StoreModel {
  public static final AttributeName NUMBER = AttributeName.of("n");

  /// An event as the test wrote it.
  ///
  /// @param ownId null-free: [EventId#LIMIT] for an event whose id the store assigns
  /// @param value the attribute `value`
  public record Written(long number, String type, long timeNanos, EventId ownId, double value) {
    public boolean own() {
      return !ownId.equals(EventId.LIMIT);
    }
  }

  /// Key of an event with a client id: type and id.
  private record OwnKey(String type, EventId id) implements Comparable<OwnKey> {
    @Override
    public int compareTo(OwnKey other) {
      int byType = type.compareTo(other.type);
      return byType != 0 ? byType : id.compareTo(other.id);
    }
  }

  private final TreeMap<Long, Written> assigned = new TreeMap<>();
  private final TreeMap<OwnKey, Written> own = new TreeMap<>();

  void put(Written event) {
    if (event.own()) {
      own.put(new OwnKey(event.type(), event.ownId()), event);
    } else {
      assigned.put(event.number(), event);
    }
  }

  public void clear() {
    assigned.clear();
    own.clear();
  }

  public void putAll(Collection<Written> events) {
    events.forEach(this::put);
  }

  StoreModel copy() {
    return without(_ -> false);
  }

  /// A copy that lacks some events.
  public StoreModel without(Predicate<Written> which) {
    var copy = new StoreModel();
    copy.assigned.putAll(assigned);
    copy.own.putAll(own);
    copy.remove(which);
    return copy;
  }

  /// Removes events for good.
  public void remove(Predicate<Written> which) {
    assigned.values().removeIf(which);
    own.values().removeIf(which);
  }

  /// Events that are shown, without order.
  public List<Written> all() {
    List<Written> all = new ArrayList<>(assigned.values());
    all.addAll(own.values());
    return all;
  }

  /// Numbers of the events of some types in a range of time, in ascending order of numbers.
  public List<Long> numbers(Predicate<String> types, long fromNanos, long untilNanos) {
    return all().stream()
        .filter(e -> types.test(e.type()))
        .filter(e -> e.timeNanos() >= fromNanos && e.timeNanos() < untilNanos)
        .map(Written::number)
        .sorted()
        .toList();
  }

  /// An event as the store showed it.
  public record Shown(EventId id, String type, long timeNanos, long number) {
    public static Shown of(EventView event, AttributeValue scratch) {
      long number = event.find(NUMBER, scratch) ? scratch.bits() : -1;
      return new Shown(event.id(), event.type(), event.timeNanos(), number);
    }

    static final Comparator<Shown> ORDER =
        Comparator.comparing(Shown::id).thenComparing(Shown::type);
  }
}
