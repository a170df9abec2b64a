package io.widerow.ingest.intake;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The lag of the events of each sender, by the name of its token or certificate, its address and
/// the `host` that its events name. So machines that share a token are distinct.
///
/// A table of bounded size that keeps the senders with the most batches (space saving, Metwally and
/// others 2005). When the table is full, a new sender replaces the one with the fewest batches, and
/// inherits its count. So a sender of more than a 1,024th of all batches is always in it.
///
/// - Threads: any; a lock is held for one look at a table for each batch, and for a pass over it
///   when the sender is new and the table full.
/// - Memory: [#KEPT_MAX] senders.
public final class SenderLags {
  public static final int KEPT_MAX = 1_024;

  private static final int STEPS = 6; // of the last minute
  private static final long STEP_SECONDS = 10;
  private static final int HOST_CHARS_MAX = 100;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Map<Key, Sender> kept = new HashMap<>(); // guarded by this
  private final long[] counts = new long[KEPT_MAX]; // of batches, by place, with those displaced
  private final List<Key> keys = new ArrayList<>(); // by place

  private record Key(String sender, String address, String host) {
    static Key of(String sender, BatchSample sample) {
      String host = sample.host();
      String address = sample.address();
      return new Key(
          sender,
          address.equals(sender) ? "" : address,
          host.substring(0, Math.min(HOST_CHARS_MAX, host.length())));
    }

    String shown() {
      StringBuilder name = new StringBuilder(sender);
      if (!address.isEmpty()) {
        name.append(" at ").append(address);
      }
      return host.isEmpty() ? name.toString() : name.append(", host ").append(host).toString();
    }
  }

  /// A sender in the last minute.
  ///
  /// @param name its name, address and host
  /// @param batches of which events had times of their own
  /// @param leastSeconds from the time of an event to its arrival, the least; negative when that is
  ///   in the future
  /// @param events number of these events
  /// @param old how many of them were older than a bucket that is closed
  public record Lag(String name, long batches, double leastSeconds, long events, long old) {}

  private static final class Sender {
    private final int place;
    private final long[] stepNumber = new long[STEPS];
    private final long[] batches = new long[STEPS];
    private final long[] least = new long[STEPS];
    private final long[] events = new long[STEPS];
    private final long[] old = new long[STEPS];

    Sender(int place) {
      this.place = place;
    }

    void add(BatchSample sample, long now) {
      long number = now / STEP_SECONDS;
      int place = (int) Math.floorMod(number, (long) STEPS);
      if (stepNumber[place] != number) {
        stepNumber[place] = number;
        batches[place] = 0;
        least[place] = Long.MAX_VALUE;
        events[place] = 0;
        old[place] = 0;
      }
      batches[place]++;
      least[place] = Math.min(least[place], sample.leastNanos());
      events[place] += sample.events();
      old[place] += sample.old();
    }

    Lag lag(String name, long now) {
      long nanos = Long.MAX_VALUE;
      long all = 0;
      long before = 0;
      long number = 0;
      for (int i = 0; i < STEPS; i++) {
        if (batches[i] > 0 && now / STEP_SECONDS - stepNumber[i] < STEPS) {
          number += batches[i];
          nanos = Math.min(nanos, least[i]);
          all += events[i];
          before += old[i];
        }
      }
      return new Lag(name, number, number == 0 ? 0 : nanos / NANOS_PER_SECOND, all, before);
    }
  }

  /// Adds a stored batch. A batch without timestamps is ignored.
  ///
  /// @param nowSeconds the time, seconds since the Unix epoch
  void add(String sender, BatchSample sample, long nowSeconds) {
    if (sample.events() == 0) {
      return;
    }
    Key key = Key.of(sender, sample);
    synchronized (this) {
      Sender known = kept.get(key);
      if (known == null) {
        known = new Sender(place(key));
        kept.put(key, known);
      }
      counts[known.place]++;
      known.add(sample, nowSeconds);
    }
  }

  /// A place for a new sender: a free one, or that of the sender with the fewest batches, which is
  /// removed and whose count stays.
  private int place(Key key) {
    if (keys.size() < KEPT_MAX) {
      keys.add(key);
      return keys.size() - 1;
    }
    int least = 0;
    for (int place = 1; place < KEPT_MAX; place++) {
      least = counts[place] < counts[least] ? place : least;
    }
    kept.remove(keys.set(least, key));
    return least;
  }

  /// Those of which something came in the last minute.
  ///
  /// @param nowSeconds the time, seconds since the Unix epoch
  synchronized List<Lag> list(long nowSeconds) {
    List<Lag> lags = new ArrayList<>();
    kept.forEach((key, sender) -> {
      Lag lag = sender.lag(key.shown(), nowSeconds);
      if (lag.batches() > 0) {
        lags.add(lag);
      }
    });
    return lags;
  }
}
