package io.widerow.ingest.intake;

import org.jspecify.annotations.Nullable;

/// The activity of one sender over one protocol: counts since the start of the daemon, the rate of
/// the last minute, the lag of its events, and the last refusal.
///
/// - Threads: any; it locks itself for a few instructions for each batch.
public final class SenderActivity {
  private static final int STEPS = 6; // of the last minute
  private static final long STEP_SECONDS = 10;
  private static final int REASON_CHARS_MAX = 200;
  private static final int AGENT_CHARS_MAX = 100;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final String protocol;
  private final String name;
  private final long sinceSeconds;
  private final long[] stepEvents = new long[STEPS];
  private final long[] stepLate = new long[STEPS];
  private final long[] stepNumber = new long[STEPS];
  private String agent = "";
  private String type = "";
  private long accepted;
  private long duplicates;
  private long rejected;
  private long refused;
  private long lastSeconds;
  private long refusalSeconds;
  private @Nullable String refusal;
  private long overflowSeconds = Long.MIN_VALUE;

  /// One moment of a sender.
  ///
  /// @param sender the name of its token or certificate, else its address
  /// @param agent its name for itself: `User-Agent`, or without HTTP its host; may be empty
  /// @param type of the first event of its last batch; may be empty
  /// @param accepted events stored
  /// @param duplicates events of repeated batches, stored once
  /// @param rejected events that were refused
  /// @param refused requests and connections that were refused as a whole, or datagrams that were
  ///   dropped
  /// @param eventsPerSecond over the last minute, or since it was first seen
  /// @param lateSeconds by which the latest batch of the last minute came after the time of its
  ///   first event; negative when that is in the future
  /// @param lastSeconds when it last sent, seconds since the Unix epoch
  /// @param refusal the last reason; null when nothing was refused
  /// @param refusalSeconds when that was; 0 when nothing was refused
  public record Moment(
      String protocol,
      String sender,
      String agent,
      String type,
      long accepted,
      long duplicates,
      long rejected,
      long refused,
      double eventsPerSecond,
      double lateSeconds,
      long lastSeconds,
      @Nullable String refusal,
      long refusalSeconds) {}

  SenderActivity(String protocol, String name, long nowSeconds) {
    this.protocol = protocol;
    this.name = name;
    this.sinceSeconds = nowSeconds;
  }

  String name() {
    return name;
  }

  /// Counts a batch that was stored, or known already.
  ///
  /// @param reason of the last refused event; null when none was
  synchronized void stored(
      BatchSample sample, int added, int repeated, int bad, @Nullable String reason, long now) {
    accepted += added;
    duplicates += repeated;
    rejected += bad;
    lastSeconds = now;
    if (!sample.type().isEmpty()) {
      type = sample.type();
    }
    int step = step(now);
    stepEvents[step] += added;
    stepLate[step] = Math.max(stepLate[step], sample.lateNanos());
    told(reason, now);
  }

  /// Counts a whole refused request.
  synchronized void refused(int count, String reason, long now) {
    refused += count;
    lastSeconds = now;
    told(reason, now);
  }

  /// An event had a type beyond the limits of types.
  synchronized void overflowed(long now) {
    overflowSeconds = now;
  }

  /// True when an event since some time had such a type.
  synchronized boolean overflowedSince(long seconds) {
    return overflowSeconds >= seconds;
  }

  synchronized void is(@Nullable String userAgent) {
    if (userAgent != null && !userAgent.equals(agent)) {
      agent = userAgent.substring(0, Math.min(AGENT_CHARS_MAX, userAgent.length()));
    }
  }

  private void told(@Nullable String reason, long now) {
    if (reason != null) {
      refusal = reason.substring(0, Math.min(REASON_CHARS_MAX, reason.length()));
      refusalSeconds = now;
    }
  }

  /// The place of the step of `now`, emptied if an older step had it.
  private int step(long now) {
    long number = now / STEP_SECONDS;
    int place = (int) Math.floorMod(number, (long) STEPS);
    if (stepNumber[place] != number) {
      stepNumber[place] = number;
      stepEvents[place] = 0;
      stepLate[place] = Long.MIN_VALUE;
    }
    return place;
  }

  synchronized Moment moment(long now) {
    long events = 0;
    long late = Long.MIN_VALUE;
    for (int i = 0; i < STEPS; i++) {
      if (now / STEP_SECONDS - stepNumber[i] < STEPS) {
        events += stepEvents[i];
        late = Math.max(late, stepLate[i]);
      }
    }
    long inStep = now % STEP_SECONDS + 1;
    long seconds = Math.clamp(now - sinceSeconds + 1, 1, (STEPS - 1) * STEP_SECONDS + inStep);
    return new Moment(
        protocol,
        name,
        agent,
        type,
        accepted,
        duplicates,
        rejected,
        refused,
        (double) events / seconds,
        late == Long.MIN_VALUE ? 0 : (double) late / NANOS_PER_SECOND,
        lastSeconds,
        refusal,
        refusalSeconds);
  }
}
