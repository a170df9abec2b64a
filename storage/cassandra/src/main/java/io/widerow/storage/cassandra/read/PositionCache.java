package io.widerow.storage.cassandra.read;

import io.widerow.storage.ClusterArrivals;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A cache of results of the cluster, each with the position that was known before its request. A
/// result has everything that was applied up to its position, so it serves the views of this
/// position and of earlier ones; a view of a later one asks again. Views read the position first
/// for this reason.
///
/// ```
///   position 1 known -> ask -> answer            serves views at 0 and 1
///   position 2 known ----------------> ask -> answer   serves views at 0, 1 and 2
/// ```
///
/// Drops the least recently used results. Views that ask at once share a result.
///
/// - Threads: any.
final class PositionCache<K, V> {
  private record Entry<V>(ClusterArrivals position, CompletableFuture<V> answer) {
    @SuppressWarnings("ReferenceEquality") // this request and no other
    boolean is(CompletableFuture<V> asked) {
      return answer == asked;
    }
  }

  private final int weightMax;
  private final ToIntFunction<V> weightOf;
  private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long weight; // guarded by this, as are the entries

  /// @param weightMax sum of the weights that are kept
  PositionCache(int weightMax, ToIntFunction<V> weightOf) {
    this.weightMax = weightMax;
    this.weightOf = weightOf;
  }

  /// The result for a view; the future may be pending.
  ///
  /// @param position of the view
  /// @param ask asks the cluster
  CompletableFuture<V> get(K key, ClusterArrivals position, Supplier<CompletableFuture<V>> ask) {
    CompletableFuture<V> asked = new CompletableFuture<>();
    synchronized (this) {
      Entry<V> entry = entries.get(key);
      if (entry != null && includes(entry.position, position)) {
        return entry.answer;
      }
      weigh(entries.put(key, new Entry<>(position, asked)), -1);
    }
    var _ =
        ask.get()
            .whenComplete((answer, failure) -> {
              keep(key, asked, answer, failure);
              if (failure == null) {
                asked.complete(answer);
              } else {
                asked.completeExceptionally(failure);
              }
            });
    return asked;
  }

  /// Completes an entry; one that failed is asked for again. Called before the result is complete:
  /// an entry counts from here on.
  private synchronized void keep(
      K key, CompletableFuture<V> asked, @Nullable V answer, @Nullable Throwable failure) {
    Entry<V> entry = entries.get(key);
    if (entry == null || !entry.is(asked)) {
      return;
    }
    if (failure != null || answer == null) {
      entries.remove(key);
      return;
    }
    put(key, entry.position, answer);
  }

  /// Replaces an older result for the same view or an earlier one. A result for a later view stays.
  ///
  /// @param position known before the result was asked for
  synchronized void renew(K key, ClusterArrivals position, V answer) {
    Entry<V> entry = entries.get(key);
    if (entry == null || !entry.answer.isDone() || !includes(position, entry.position)) {
      return;
    }
    weigh(entry, -1);
    put(key, position, answer);
  }

  private void put(K key, ClusterArrivals position, V answer) {
    entries.put(key, new Entry<>(position, CompletableFuture.completedFuture(answer)));
    weight += 1 + weightOf.applyAsInt(answer);
    Iterator<Map.Entry<K, Entry<V>>> oldest = entries.entrySet().iterator();
    while (weight > weightMax && oldest.hasNext()) {
      Entry<V> dropped = oldest.next().getValue();
      if (dropped.answer.isDone()) {
        oldest.remove();
        weigh(dropped, -1);
      }
    }
  }

  private void weigh(@Nullable Entry<V> entry, int sign) {
    if (entry != null && entry.answer.isDone()) {
      weight += (long) sign * (1 + weightOf.applyAsInt(entry.answer.join()));
    }
  }

  /// The result for a view, when it is here; null when it must be requested.
  synchronized @Nullable V known(K key, ClusterArrivals position) {
    Entry<V> entry = entries.get(key);
    return entry != null && entry.answer.isDone() && includes(entry.position, position)
        ? entry.answer.join()
        : null;
  }

  /// True when everything that was shown at `part` was shown at `whole`.
  @SuppressWarnings("ReferenceEquality") // mostly they are the same object, which costs least
  static boolean includes(ClusterArrivals whole, ClusterArrivals part) {
    if (whole == part) {
      return true;
    }
    return part.daemons().entrySet().stream()
        .allMatch(daemon -> whole.stampOf(daemon.getKey()) >= daemon.getValue().stamp());
  }
}
