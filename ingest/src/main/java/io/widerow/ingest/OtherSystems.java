package io.widerow.ingest;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.BackupKeys;
import io.widerow.ingest.config.ColdKeys;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.ForwardOptions;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.forward.Forwarder;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.serve.status.BackupService;
import io.widerow.ingest.serve.status.ColdService;
import io.widerow.ingest.serve.status.KafkaService;
import io.widerow.ingest.source.SourceProvider;
import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.objects.ColdMover;
import io.widerow.storage.objects.RunningBackup;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What connects a daemon to other systems by its own threads: the sources that it reads, the topic
/// that it sends to, and the place of its backup.
///
/// - Threads: one starts and ends it; any may ask.
/// - Order: [#startObjects] before events are received, [#start] after; [#stop] before the lanes
///   are closed, [#endObjects] after.
final class OtherSystems {
  private final DaemonConfig config;
  private final EventStore store;
  private final MeterRegistry registry;
  private final BackupService backupService = new BackupService(this::backup);
  private volatile SourceProvider.@Nullable Source kafka; // once topics are read
  private volatile @Nullable Forwarder forwarder; // once it sends
  private final ColdService coldService = new ColdService(this::coldStore, this::mover);
  private volatile @Nullable BackupThreads backup; // once it runs
  private volatile @Nullable ColdThreads cold; // likewise

  OtherSystems(DaemonConfig config, EventStore store, MeterRegistry registry) {
    this.config = config;
    this.store = store;
    this.registry = registry;
  }

  /// Starts what keeps copies and old segments in other places.
  void startObjects() {
    BackupKeys keys = config.backup();
    ColdKeys old = config.cold();
    if (old != null && store instanceof EmbeddedStore embedded) {
      cold = new ColdThreads(old, embedded, registry);
    }
    EventStore.Copier copier = store.copier();
    if (keys != null && store instanceof EmbeddedStore embedded) {
      backup = BackupThreads.of(keys, old, embedded, registry);
    } else if (keys != null && copier != null) {
      backup = BackupThreads.of(keys, store, copier, config.data(), registry);
    }
  }

  /// Starts to read and to send.
  ///
  /// @throws SourceRefusedException when that cannot be done as it is configured
  void start(Intake intake, RecordFormats formats, QueryMemory memory, LongSupplier epochNanos) {
    List<KafkaOptions> sources = config.kafka();
    ForwardOptions target = config.forward();
    try {
      if (!sources.isEmpty()) {
        UUID id = UUID.nameUUIDFromBytes(store.secret());
        store.allowSources();
        kafka =
            SourceProvider.found()
                .start(
                    sources,
                    config.kafkaAccess(),
                    intake,
                    formats,
                    registry,
                    "widerow-" + id.toString().substring(0, 8),
                    store.sharedSources());
      }
      if (target != null) {
        forwarder = forwarder(target, memory, epochNanos);
      }
    } catch (IllegalArgumentException why) {
      throw new SourceRefusedException(why);
    }
  }

  private Forwarder forwarder(ForwardOptions to, QueryMemory memory, LongSupplier epochNanos) {
    try {
      var sending = new Forwarder(to, store, memory, config.data(), epochNanos);
      sending.measure(registry);
      sending.start();
      return sending;
    } catch (IllegalArgumentException why) {
      throw new IllegalArgumentException("forward: " + why.getMessage(), why);
    }
  }

  KafkaService kafkaService() {
    return new KafkaService(() -> kafka, () -> forwarder == null ? null : forwarder.summary());
  }

  BackupService backupService() {
    return backupService;
  }

  private @Nullable RunningBackup backup() {
    BackupThreads running = backup;
    return running == null ? null : running.backup();
  }

  ColdService coldService() {
    return coldService;
  }

  private @Nullable ColdMover mover() {
    ColdThreads running = cold;
    return running == null ? null : running.mover();
  }

  private @Nullable EmbeddedStore coldStore() {
    return cold != null && store instanceof EmbeddedStore embedded ? embedded : null;
  }

  /// The places that have copies of events.
  List<String> backups() {
    BackupKeys keys = config.backup();
    return keys == null ? List.of() : List.of(keys.place().url());
  }

  /// The place of old segments, while it may have objects of files that a deletion has removed.
  ///
  /// @param endedNanos when the deletion was done
  List<String> coldCopies(List<String> removed, long endedNanos) {
    ColdMover moving = mover();
    return moving != null && moving.mayHave(removed, endedNanos) ? List.of(moving.at()) : List.of();
  }

  /// Renews metrics and findings, about once a second.
  void look() {
    SourceProvider.Source reading = kafka;
    if (reading != null) {
      reading.look();
    }
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    SourceProvider.Source reading = kafka;
    if (reading != null) {
      findings.addAll(reading.findings());
    }
    Forwarder sending = forwarder;
    if (sending != null) {
      findings.addAll(sending.findings());
    }
    BackupThreads running = backup;
    if (running != null) {
      findings.addAll(running.findings());
    }
    ColdThreads moving = cold;
    if (moving != null) {
      findings.addAll(moving.findings());
    }
    return findings;
  }

  /// Ends reading and sending.
  void stop() {
    SourceProvider.Source reading = kafka;
    if (reading != null) {
      reading.close();
    }
    Forwarder sending = forwarder;
    if (sending != null) {
      sending.close();
    }
  }

  /// Ends moves of old segments, ships what the journals have, and ends the backup.
  void endObjects() {
    ColdThreads moving = cold;
    if (moving != null) {
      moving.close();
    }
    BackupThreads running = backup;
    if (running != null) {
      running.close();
    }
  }
}
