package io.widerow.ingest;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.BackupKeys;
import io.widerow.ingest.config.ColdKeys;
import io.widerow.ingest.config.HostName;
import io.widerow.ingest.doctor.Finding;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.objects.Backup;
import io.widerow.storage.objects.BackupCatalog;
import io.widerow.storage.objects.BackupOptions;
import io.widerow.storage.objects.CopyBackup;
import io.widerow.storage.objects.RunningBackup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The threads of the backup of a store: `widerow-backup` ships frames, or renews the lease of a
/// store on a cluster; `widerow-backup-files` makes checkpoints.
final class BackupThreads implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int START_SECONDS = 5;
  private static final int END_SECONDS = 20;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BEHIND_SECONDS_MAX = 300;
  private static final String LEASE = "backup";
  private static final Duration LEASED = Duration.ofMinutes(1);

  private final RunningBackup backup;
  private final double behindSecondsMax;
  private final MaintenanceLoop frames = new MaintenanceLoop("widerow-backup");
  private final MaintenanceLoop files = new MaintenanceLoop("widerow-backup-files");
  private String told = "shipping"; // of the thread of the frames

  /// Starts the backup of a store on this machine.
  ///
  /// @param cold where old segments are; null for here
  static BackupThreads of(
      BackupKeys keys, @Nullable ColdKeys cold, EmbeddedStore store, MeterRegistry registry) {
    var backup =
        new Backup(
            store::backup,
            keys.place().open(keys.s3()),
            cold == null ? null : cold.place().open(cold.s3()),
            options(keys),
            System::nanoTime);
    return new BackupThreads(backup, BEHIND_SECONDS_MAX, registry);
  }

  /// Starts the backup of a store on a cluster, whose moments are those of checkpoints.
  ///
  /// @param directory of the daemon
  static BackupThreads of(
      BackupKeys keys,
      EventStore store,
      EventStore.Copier copier,
      Path directory,
      MeterRegistry registry) {
    var backup =
        new CopyBackup(
            copier,
            () -> store.lease(LEASE, LEASED),
            directory,
            keys.place().open(keys.s3()),
            options(keys),
            store::nowNanos,
            System::nanoTime);
    return new BackupThreads(backup, keys.checkpoint().toSeconds() + BEHIND_SECONDS_MAX, registry);
  }

  private static BackupOptions options(BackupKeys keys) {
    return new BackupOptions(
        keys.every(),
        keys.checkpoint(),
        keys.spoolBytes(),
        BackupOptions.OBJECT_BYTES,
        HostName.value(),
        keys.retention());
  }

  /// @param behindSecondsMax limit of the finding `backup-behind`: the age of the newest moment
  ///   that can be restored, in seconds
  private BackupThreads(RunningBackup backup, double behindSecondsMax, MeterRegistry registry) {
    this.backup = backup;
    this.behindSecondsMax = behindSecondsMax;
    Gauge.builder(
            "widerow.backup.behind.seconds",
            backup,
            each -> each.status().behindNanos() / NANOS_PER_SECOND)
        .register(registry);
    Gauge.builder("widerow.backup.pending.bytes", backup, each -> each.status().pendingBytes())
        .register(registry);
    FunctionCounter.builder("widerow.backup.sent.bytes", backup, each -> each.status().sentBytes())
        .register(registry);
    within(START_SECONDS, backup::step); // usually the epoch begins before the first event
    frames.repeat("backup", PAUSE, this::step);
    files.repeat("backup of files", PAUSE, backup::checkpoint);
  }

  RunningBackup backup() {
    return backup;
  }

  private void step() {
    backup.step();
    Backup.Status now = backup.status();
    if (!now.state().equals(told)) {
      LOG.log(
          isWell(now.state()) ? Level.INFO : Level.WARNING,
          "backup to {0}: {1}{2}",
          new Object[] {now.to(), now.state(), now.reason() == null ? "" : ": " + now.reason()});
      told = now.state();
    }
  }

  private static boolean isWell(String state) {
    return state.equals("shipping") || state.equals("standby");
  }

  /// What an operator should know.
  List<Finding> findings() {
    Backup.Status now = backup.status();
    double behind = now.behindNanos() / NANOS_PER_SECOND;
    String reason = now.reason() == null ? "" : ": " + now.reason();
    return switch (now.state()) {
      case "other-owner" ->
          List.of(
              finding(
                  "objects-owner",
                  null,
                  null,
                  "nothing is backed up" + reason,
                  "stop the other daemon, or run `widerow backup take-over`"));
      case "away" ->
          List.of(
              finding(
                  "objects-away",
                  behind,
                  null,
                  "the place of the backup does not answer" + reason,
                  "see the state of " + now.to()));
      default ->
          behind <= behindSecondsMax
              ? gaps(now)
              : List.of(
                  finding(
                      "backup-behind",
                      behind,
                      behindSecondsMax,
                      "the backup lacks the last %.0f seconds%s".formatted(behind, reason),
                      "see what slows down " + now.to()));
    };
  }

  private static List<Finding> gaps(Backup.Status now) {
    if (now.gaps().isEmpty()) {
      return List.of();
    }
    BackupCatalog.Gap last = now.gaps().getLast();
    return List.of(
        new Finding(
            "backup-gap",
            Finding.Severity.WARN,
            "store",
            (double) now.gaps().size(),
            null,
            "no second from %s to %s can be restored, though the store took something in then"
                .formatted(last.from(), last.until()),
            "see the log of that time: the place was away too long, or the daemon was killed"));
  }

  private static Finding finding(
      String code, @Nullable Double value, @Nullable Double limit, String sentence, String act) {
    return new Finding(code, Finding.Severity.BAD, "store", value, limit, sentence, act);
  }

  /// Ships the rest and lets the journals go. Call it before the store is closed.
  @Override
  public void close() {
    frames.stop();
    files.stop();
    within(END_SECONDS, backup::close);
  }

  /// Runs a task, and waits for its end only so long: a place may be a disk that does not answer.
  private static void within(int seconds, Runnable task) {
    Thread thread = Thread.ofPlatform().name("widerow-backup-once").daemon().start(task);
    try {
      if (!thread.join(Duration.ofSeconds(seconds))) {
        LOG.log(Level.WARNING, "backup: its place did not answer within {0} s", seconds);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
