package io.widerow.ingest.intake;

import io.widerow.ingest.lane.BatchOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The senders, their protocols, and the outcomes of their events. A sender is the name of a token
/// or of a certificate, or the address of a machine where there is neither.
///
/// - Threads: any; a lock is held for one look at a table for each batch.
/// - Memory: the [#KEPT_MAX] senders that sent last. The totals of protocols include all.
public final class Senders {
  static final int KEPT_MAX = 1_000;

  private final LongSupplier epochSeconds;
  private final LinkedHashMap<Key, SenderActivity> kept =
      new LinkedHashMap<>(16, 0.75f, true); // guarded by itself
  private final Map<String, Totals> protocols = new ConcurrentHashMap<>();
  private final SenderLags lags = new SenderLags();

  private record Key(String protocol, String sender) {}

  private static final class Totals {
    final LongAdder accepted = new LongAdder();
    final LongAdder duplicates = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder refused = new LongAdder();
  }

  /// The counts of one protocol since the start of the daemon.
  ///
  /// @param accepted events stored
  /// @param duplicates events of repeated batches, stored once
  /// @param rejected events that were refused
  /// @param refused requests and connections that were refused as a whole, or datagrams that were
  ///   dropped
  public record Total(
      String protocol, long accepted, long duplicates, long rejected, long refused) {}

  /// @param epochSeconds the clock
  public Senders(LongSupplier epochSeconds) {
    this.epochSeconds = epochSeconds;
  }

  /// Counts the outcome of a batch.
  ///
  /// @param agent the sender's name for itself; null for none
  public void add(
      String protocol,
      String sender,
      @Nullable String agent,
      BatchSample sample,
      BatchOutcome outcome) {
    switch (outcome) {
      case BatchOutcome.Stored stored -> {
        int bad = stored.repeated() ? 0 : stored.refused().count();
        String reason =
            bad > 0 && stored.refused().listed() > 0 ? stored.refused().lastReason() : null;
        Counts counts = new Counts(stored.accepted(), stored.duplicates(), bad, reason);
        stored(protocol, sender, agent, sample, counts);
      }
      case BatchOutcome.Overloaded() -> refused(protocol, sender, agent, 1, "overloaded");
      case BatchOutcome.DiskFull(String why) -> refused(protocol, sender, agent, 1, why);
      case BatchOutcome.Failed(String why) -> refused(protocol, sender, agent, 1, why);
    }
  }

  /// The outcome of one sender's events in a batch.
  ///
  /// @param accepted events stored
  /// @param duplicates events stored earlier
  /// @param rejected events that were refused
  /// @param reason of the last of these; null when none was
  public record Counts(int accepted, int duplicates, int rejected, @Nullable String reason) {}

  /// Counts events of one sender: for batches that have several.
  public void stored(
      String protocol, String sender, @Nullable String agent, BatchSample sample, Counts counts) {
    Totals totals = totals(protocol);
    totals.accepted.add(counts.accepted);
    totals.duplicates.add(counts.duplicates);
    totals.rejected.add(counts.rejected);
    long now = epochSeconds.getAsLong();
    lags.add(sender, sample, now);
    SenderActivity activity = of(protocol, sender, agent);
    activity.stored(
        sample, counts.accepted, counts.duplicates, counts.rejected, counts.reason, now);
    if (sample.overflowed()) {
      activity.overflowed(now);
    }
  }

  /// Counts requests that were refused as a whole, or datagrams that were dropped.
  public void refused(
      String protocol, String sender, @Nullable String agent, int count, String reason) {
    totals(protocol).refused.add(count);
    of(protocol, sender, agent).refused(count, reason, epochSeconds.getAsLong());
  }

  private Totals totals(String protocol) {
    return protocols.computeIfAbsent(protocol, _ -> new Totals());
  }

  private SenderActivity of(String protocol, String name, @Nullable String agent) {
    SenderActivity sender;
    synchronized (kept) {
      Key key = new Key(protocol, name);
      sender = kept.get(key); // which makes it the one that sent last
      if (sender == null) {
        if (kept.size() == KEPT_MAX) {
          kept.pollFirstEntry();
        }
        sender = new SenderActivity(protocol, name, epochSeconds.getAsLong());
        kept.put(key, sender);
      }
    }
    sender.is(agent);
    return sender;
  }

  /// The senders of which an event since some time had a type beyond the limits of types, the one
  /// that sent last at the front.
  public List<String> overflowedSince(long seconds) {
    List<String> names = new ArrayList<>();
    synchronized (kept) {
      for (SenderActivity sender : kept.values()) {
        if (sender.overflowedSince(seconds)) {
          names.add(sender.name());
        }
      }
    }
    return names.reversed().stream().distinct().toList();
  }

  /// The lag of each sender's events in the last minute.
  public List<SenderLags.Lag> lags() {
    return lags.list(epochSeconds.getAsLong());
  }

  /// The senders that are kept, the one that sent last at the front.
  public List<SenderActivity.Moment> list() {
    List<SenderActivity> all;
    synchronized (kept) {
      all = new ArrayList<>(kept.values());
    }
    Collections.reverse(all);
    long now = epochSeconds.getAsLong();
    return all.stream().map(sender -> sender.moment(now)).toList();
  }

  /// The counts of each protocol that was used, by name.
  public List<Total> totals() {
    List<Total> all = new ArrayList<>();
    new TreeMap<>(protocols)
        .forEach((name, totals) ->
            all.add(
                new Total(
                    name,
                    totals.accepted.sum(),
                    totals.duplicates.sum(),
                    totals.rejected.sum(),
                    totals.refused.sum())));
    return all;
  }
}
