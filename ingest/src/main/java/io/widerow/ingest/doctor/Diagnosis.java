package io.widerow.ingest.doctor;

import io.widerow.event.PartitionKey;
import io.widerow.ingest.doctor.Finding.Severity;
import io.widerow.ingest.intake.SenderLags;
import io.widerow.ingest.lane.TypeBudget;
import io.widerow.query.sizing.TypePlan;
import io.widerow.query.sizing.Weight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The findings that follow from [Facts]. A pure function: it asks no clock and no store.
public final class Diagnosis {
  /// A sender whose least lag of a minute is beyond it is named.
  static final double LAG_SECONDS_MAX = 30;

  /// So is one that is ahead by more.
  static final double AHEAD_SECONDS_MAX = 1;

  /// Batches of a minute without which nothing is said of a sender.
  static final int BATCHES_MIN = 2;

  /// Share of a sender's events that may be older than a closed bucket.
  static final double LATE_SHARE_MAX = 0.2;

  /// Minimum number of events of a minute for that share.
  static final long LATE_EVENTS_MIN = 100;

  /// The busiest lane may have so much more than the mean.
  static final double LANE_SKEW_MAX = 1.5;

  /// Batches of a lane between two looks without which skew is chance.
  static final double LANE_BATCHES_MIN = 50;

  static final int TYPES_MAX = 10_000;
  private static final int SENDERS_MAX = 3; // named in one finding

  /// Share of the segments that retention may leave for later, see [#backlog].
  static final double BACKLOG_SHARE_MAX = 0.1;

  static final long BACKLOG_BYTES_MIN = 64L << 20;
  static final double BACKLOG_SECONDS_MAX = 120;

  /// So many findings of one code, the worst; a store of many types would have one for each.
  static final int OF_CODE_MAX = 20;

  private final List<Finding> findings = new ArrayList<>();

  private Diagnosis() {}

  /// The findings, the worst first.
  public static List<Finding> of(Facts facts) {
    Diagnosis diagnosis = new Diagnosis();
    diagnosis.types(facts.types());
    facts.senders().forEach(sender -> diagnosis.sender(sender, facts.lateFromNanos()));
    diagnosis.lanes(facts.lanes());
    diagnosis.backlog(facts.backlog());
    return worst(diagnosis.findings);
  }

  /// The findings about partitions alone, the worst first.
  public static List<Finding> ofPartitions(List<TypeState> types) {
    Diagnosis diagnosis = new Diagnosis();
    diagnosis.types(types);
    return worst(diagnosis.findings);
  }

  private static List<Finding> worst(List<Finding> all) {
    List<Finding> worst = new ArrayList<>();
    for (Finding finding : all.stream().sorted(Finding.WORST_FIRST).toList()) {
      if (worst.stream().filter(each -> each.code().equals(finding.code())).count() < OF_CODE_MAX) {
        worst.add(finding);
      }
    }
    return worst;
  }

  private void types(List<TypeState> types) {
    if (types.size() > TYPES_MAX) {
      found("many-types", Severity.WARN, "store", types.size(), TYPES_MAX)
          .report(
              String.format(Locale.ROOT, "%,d types have partitions of their own", types.size()),
              "put variable parts, such as an id or a host, into an attribute instead of the type");
    }
    for (TypeState state : types) {
      hot(state);
      oversize(state.plan());
      undersize(state.plan());
    }
  }

  private void hot(TypeState state) {
    if (state.share() > 1) {
      TypePlan plan = state.plan();
      double most = state.perSecond() / state.share();
      found("hot-type", Severity.WARN, plan.type(), state.perSecond(), most)
          .report(
              String.format(
                  Locale.ROOT,
                  "%,.0f events of %s arrive a second, its %d shards of %d minutes are for"
                      + " %,.0f",
                  state.perSecond(),
                  plan.type(),
                  plan.shards(),
                  plan.widthMinutes(),
                  most),
              String.format(
                  Locale.ROOT,
                  "more shards: %d (shards)",
                  (int) Math.ceil(plan.shards() * state.share())));
    }
  }

  private void oversize(TypePlan plan) {
    if (plan.weight() > Weight.MOST) {
      PartitionKey key = plan.largest();
      found("oversize-partition", Severity.WARN, key.toString(), plan.weight(), Weight.MOST)
          .report(
              String.format(
                  Locale.ROOT,
                  "the partition %s weighs %.1f; 1 is %d MiB at rest or %,d events",
                  key,
                  plan.weight(),
                  plan.weights().partitionBytes() >> 20,
                  plan.weights().partitionEvents()),
              String.format(
                  Locale.ROOT,
                  "buckets of %d minutes in %d shards for %s (bucket-minutes, shards)",
                  plan.planned().widthMinutes(),
                  plan.planned().shards(),
                  plan.type()));
    }
  }

  private void undersize(TypePlan plan) {
    if (plan.spare() > TypePlan.SPARE_MAX) {
      found(
              "undersize-partitions",
              Severity.INFO,
              plan.type(),
              plan.closed(),
              (double) plan.needed() + TypePlan.SPARE_MAX)
          .report(
              String.format(
                  Locale.ROOT,
                  "the closed days of %s have %,d partitions and need %,d",
                  plan.type(),
                  plan.closed(),
                  plan.needed()),
              String.format(
                  Locale.ROOT,
                  "buckets of %d minutes in %d shards (bucket-minutes, shards)",
                  plan.planned().widthMinutes(),
                  plan.planned().shards()));
    }
  }

  private void sender(SenderLags.Lag sender, long lateFromNanos) {
    if (sender.batches() >= BATCHES_MIN && sender.leastSeconds() > LAG_SECONDS_MAX) {
      found("clock-skew", Severity.WARN, sender.name(), sender.leastSeconds(), LAG_SECONDS_MAX)
          .report(
              String.format(
                  Locale.ROOT,
                  "the newest events of %s arrive %.1f s late",
                  sender.name(),
                  sender.leastSeconds()),
              "set its clock (NTP), or find out what delays its events");
    }
    if (sender.batches() >= BATCHES_MIN && -sender.leastSeconds() > AHEAD_SECONDS_MAX) {
      found("clock-skew", Severity.WARN, sender.name(), sender.leastSeconds(), -AHEAD_SECONDS_MAX)
          .report(
              String.format(
                  Locale.ROOT,
                  "events of %s arrive %.1f s before their time",
                  sender.name(),
                  -sender.leastSeconds()),
              "set its clock (NTP)");
    }
    double share = (double) sender.old() / Math.max(1, sender.events());
    if (sender.events() >= LATE_EVENTS_MIN && share > LATE_SHARE_MAX) {
      found("late-share", Severity.WARN, sender.name(), share, LATE_SHARE_MAX)
          .report(
              String.format(
                  Locale.ROOT,
                  "%.0f %% of the events of %s arrive after their bucket is closed, after %d min",
                  100 * share,
                  sender.name(),
                  Duration.ofNanos(lateFromNanos).toMinutes()),
              "let it send sooner; ignore it while history is loaded: the events are merged once"
                  + " more");
    }
  }

  private void lanes(List<Facts.Lane> lanes) {
    double events = lanes.stream().mapToDouble(Facts.Lane::events).average().orElse(0);
    double batches = lanes.stream().mapToDouble(Facts.Lane::batches).average().orElse(0);
    if (lanes.size() < 2 || batches < LANE_BATCHES_MIN || events == 0) {
      return;
    }
    for (int lane = 0; lane < lanes.size(); lane++) {
      double skew = lanes.get(lane).events() / events;
      if (skew > LANE_SKEW_MAX) {
        found("lane-skew", Severity.INFO, "lane " + lane, skew, LANE_SKEW_MAX)
            .report(
                String.format(
                    Locale.ROOT, "lane %d gets %.1f times the events of the mean lane", lane, skew),
                "send smaller batches, or batches of like size: a batch goes to one lane whole");
      }
    }
  }

  /// Expired data is freed at once, except parts of merged segments that are too small to write the
  /// segments again.
  private void backlog(Facts.Backlog backlog) {
    double most = Math.max(BACKLOG_BYTES_MIN, BACKLOG_SHARE_MAX * backlog.ofBytes());
    if (backlog.bytes() > most && backlog.seconds() > BACKLOG_SECONDS_MAX) {
      found("retention-backlog", Severity.WARN, "store", (double) backlog.bytes(), most)
          .report(
              String.format(
                  Locale.ROOT,
                  "%,d bytes have expired and were not freed for %.0f s",
                  backlog.bytes(),
                  backlog.seconds()),
              "see backgroundFailure in /v1/status, and whether the disk is busy");
    }
  }

  /// The finding about events whose types are beyond the limits of types.
  ///
  /// @param senders of the last hour, the one that sent last at the front
  /// @param moved events since the start
  static Finding overflow(TypeBudget.Spent spent, List<String> senders, long moved) {
    String from =
        String.join(", ", senders.subList(0, Math.min(SENDERS_MAX, senders.size())))
            + (senders.size() > SENDERS_MAX ? " and others" : "");
    return new Finding(
        "type-overflow",
        Severity.WARN,
        from.isEmpty() ? spent.type() : from,
        (double) moved,
        null,
        String.format(
            Locale.ROOT,
            "new types, the last one %s, exceed %s: %,d events are stored as type %s",
            spent.type(),
            spent.why(),
            moved,
            TypeBudget.OVERFLOW),
        "put variable parts such as an id into an attribute; else raise types-max or types-per-hour"
            + " ("
            + TypeBudget.SENDER_TYPE
            + " has the types that were sent)");
  }

  private Draft found(String code, Severity severity, String subject, double value, double limit) {
    return new Draft(code, severity, subject, value, limit, findings);
  }

  /// A finding without its sentences.
  private record Draft(
      String code,
      Severity severity,
      String subject,
      double value,
      double limit,
      List<Finding> findings) {
    /// @param act what the operator does about it
    void report(String sentence, String act) {
      findings.add(new Finding(code, severity, subject, value, limit, sentence, act));
    }
  }
}
