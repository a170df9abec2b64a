package io.widerow.ingest.doctor;

import io.widerow.ingest.doctor.Finding.Severity;
import io.widerow.storage.ClockReport;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.Damage;
import io.widerow.storage.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The current conditions that need no check of the store's partitions: clock, disk, damage,
/// failures, the cluster.
///
/// @param failure why writing has ended; null while writing works
/// @param full why events are refused for lack of space; null while there is space
/// @param usableBytes free bytes of the store's file system
/// @param reserveBytes free bytes below which events are refused
/// @param cluster null for a store on one machine
/// @param nowMillis the time, milliseconds since the Unix epoch
public record Conditions(
    @Nullable String failure,
    @Nullable String full,
    long usableBytes,
    long reserveBytes,
    ClockReport clock,
    StoreStatistics store,
    @Nullable ClusterReport cluster,
    long nowMillis) {
  /// The endpoint that believes the clock.
  public static final String ACCEPT_CLOCK = "/v1/admin/accept-clock";

  /// Free space below this multiple of the reserve is a finding.
  static final int LOW_DISK_RESERVES = 2;

  private static final long MIB = 1 << 20;

  /// The findings, in no order.
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(clock(clock));
    if (failure != null) {
      findings.add(
          Finding.of(
              "write-failure",
              Severity.BAD,
              "store",
              "writing has ended: " + failure,
              "see the log, mend the cause and start the daemon again"));
    }
    disk(findings);
    if (!store.backgroundFailure().isEmpty()) {
      findings.add(
          Finding.of(
              "background-failure",
              Severity.WARN,
              "store",
              "sealing or merging failed: " + store.backgroundFailure(),
              "the daemon retries it; see the log if it continues to fail"));
    }
    store.damage().forEach(damage -> findings.add(damage(damage)));
    if (cluster != null) {
      ClusterFindings.of(cluster, nowMillis)
          .forEach((code, says) -> findings.add(cluster(code, says)));
    }
    return findings;
  }

  /// The finding about the clock; none while it is right.
  public static List<Finding> clock(ClockReport clock) {
    return clock.state() == ClockReport.State.RIGHT
        ? List.of()
        : List.of(
            Finding.of(
                "clock-jump",
                Severity.BAD,
                "clock",
                clockSentence(clock),
                "set the clock right, or accept it as it is with POST " + ACCEPT_CLOCK));
  }

  /// A sentence for operators; empty while the clock is right.
  public static String clockSentence(ClockReport clock) {
    return switch (clock.state()) {
      case RIGHT -> "";
      case DOUBTED -> clock.sentence() + " (POST " + ACCEPT_CLOCK + ")";
      case REFUSED ->
          "events without a time of their own are refused: %s (POST %s)"
              .formatted(clock.sentence(), ACCEPT_CLOCK);
    };
  }

  private void disk(List<Finding> findings) {
    if (full != null) {
      findings.add(
          new Finding(
              "disk",
              Severity.BAD,
              "store",
              (double) usableBytes,
              (double) reserveBytes,
              "no events are accepted: " + full,
              "free space, or keep less: widerow retention plan"));
    } else if (usableBytes < LOW_DISK_RESERVES * reserveBytes) {
      findings.add(
          new Finding(
              "disk",
              Severity.WARN,
              "store",
              (double) usableBytes,
              (double) LOW_DISK_RESERVES * reserveBytes,
              "%d MiB are free; below %d MiB no events are accepted"
                  .formatted(usableBytes / MIB, reserveBytes / MIB),
              "free space, or keep less: widerow retention plan"));
    }
  }

  private static Finding damage(Damage damage) {
    return new Finding(
        "damage",
        Severity.BAD,
        damage.place(),
        (double) damage.events(),
        0.0,
        damage.sentence(),
        damage.kind() == Damage.Kind.SCHEMA
            ? "stop the daemon, then run widerow check repair --help: --statement, --drop-table"
            : "stop the daemon, then run widerow check repair; or restore a snapshot");
  }

  private static Finding cluster(String code, String says) {
    Severity severity = code.equals("cluster-away") ? Severity.BAD : Severity.WARN;
    return Finding.of(code, severity, "cluster", says, "widerow cluster status, and see the nodes");
  }
}
