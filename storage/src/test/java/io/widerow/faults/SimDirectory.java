package io.widerow.faults;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Directory of a [SimDisk]: the entries that programs see, the durable ones, and the operations
/// between the two.
final class SimDirectory {
  private final TreeMap<String, Object> entries = new TreeMap<>();
  private final TreeMap<String, Object> durable = new TreeMap<>();
  private final List<Consumer<Map<String, Object>>> pending = new ArrayList<>();

  /// Names with a [SimContent] or a [SimDirectory] each.
  Map<String, Object> entries() {
    return entries;
  }

  void put(String name, Object child) {
    apply(map -> map.put(name, child));
  }

  void remove(String name) {
    apply(map -> map.remove(name));
  }

  /// Atomic, as in POSIX: the target is the old file or the new one.
  void rename(String source, String target) {
    Object child = entries.get(source);
    apply(map -> {
      map.remove(source);
      map.put(target, child);
    });
  }

  /// A rename into another directory: file systems with a journal do both sides at once. Here a
  /// power cut may leave the file on both sides, which is as bad as it gets.
  void move(String source, SimDirectory target, String name) {
    Object child = entries.get(source);
    target.entries.put(name, child);
    target.durable.put(name, child);
    remove(source);
  }

  private void apply(Consumer<Map<String, Object>> operation) {
    operation.accept(entries);
    pending.add(operation);
  }

  void force() {
    durable.clear();
    durable.putAll(entries);
    pending.clear();
  }

  long bytes() {
    long sum = 0;
    for (Object child : entries.values()) {
      sum += child instanceof SimDirectory below ? below.bytes() : ((SimContent) child).size();
    }
    return sum;
  }

  /// What a power cut leaves of it.
  SimDirectory crashed(SplittableRandom random, boolean reorders) {
    TreeMap<String, Object> left = new TreeMap<>(durable);
    int kept = random.nextInt(pending.size() + 1);
    for (int i = 0; i < pending.size(); i++) {
      if (reorders ? random.nextBoolean() : i < kept) {
        pending.get(i).accept(left);
      }
    }
    var after = new SimDirectory();
    left.forEach((name, child) -> {
      Object survivor =
          child instanceof SimDirectory below
              ? below.crashed(random, reorders)
              : ((SimContent) child).crashed(random);
      after.entries.put(name, survivor);
      after.durable.put(name, survivor);
    });
    return after;
  }

  /// What a power cut leaves when nothing unforced survives.
  SimDirectory durableCopy() {
    var after = new SimDirectory();
    durable.forEach((name, child) -> {
      Object survivor =
          child instanceof SimDirectory below
              ? below.durableCopy()
              : ((SimContent) child).durableCopy();
      after.entries.put(name, survivor);
      after.durable.put(name, survivor);
    });
    return after;
  }

  /// A copy as a new process finds it: unforced data is still unforced.
  SimDirectory copy() {
    var copy = new SimDirectory();
    IdentityHashMap<Object, Object> copies = new IdentityHashMap<>();
    entries.forEach((name, child) -> copy.entries.put(name, copyOf(child, copies)));
    durable.forEach((name, child) -> copy.durable.put(name, copyOf(child, copies)));
    // The operations in between name the old children; that all of them or none survive is enough.
    if (!pending.isEmpty()) {
      TreeMap<String, Object> all = new TreeMap<>(copy.entries);
      copy.pending.add(map -> {
        map.clear();
        map.putAll(all);
      });
    }
    return copy;
  }

  private static Object copyOf(Object child, IdentityHashMap<Object, Object> copies) {
    return copies.computeIfAbsent(
        child, c -> c instanceof SimDirectory below ? below.copy() : ((SimContent) c).copy());
  }
}
