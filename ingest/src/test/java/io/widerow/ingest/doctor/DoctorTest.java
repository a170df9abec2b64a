package io.widerow.ingest.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.PartitionWeights;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.ClosedBuckets;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import io.widerow.ingest.lane.TypeBudget;
import io.widerow.query.sizing.TypePlan;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: on a quiet store nothing is named; a hot type, an oversize partition and a sender 90 s
/// behind are named within ten seconds. Method: a real store and lanes, a clock that the test moves
/// second by second.
@Timeout(300)
class DoctorTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int EVENTS = 50_000; // of a batch

  @TempDir private Path directory = Path.of(".");

  private long nanos = 77 * SECOND;
  private long epochNanos = Instant.now().getEpochSecond() * SECOND;

  /// A store with its lanes, and a doctor.
  private final class Patient implements AutoCloseable {
    final EventStore store;
    final Lanes lanes;
    final Intake intake;
    final Doctor doctor;

    Patient() {
      DaemonConfig config =
          DaemonConfig.of(
              Map.of(
                  "data",
                  directory.toString(),
                  "lanes",
                  "1",
                  "shards",
                  "1",
                  "disk-reserve-bytes",
                  "0"));
      store = LocalStore.open(config);
      var registry = new SimpleMeterRegistry();
      lanes =
          new Lanes(
              store,
              new Lanes.Settings(64, 1_000, 1 << 20, 900),
              () -> new SpinThenParkWaitStrategy(10_000),
              new BatchPool(64 << 20, 1 << 16, 64),
              registry,
              () -> epochNanos / SECOND);
      intake =
          new Intake(
              lanes,
              new ByteCredit(1 << 20),
              new Intake.Limits(1 << 16, 100, 1),
              new ClosedBuckets(60 * 60 * SECOND, 5 * 60 * SECOND),
              new BodyDigest(store.secret()),
              store::full,
              () -> epochNanos);
      lanes.start();
      doctor =
          new Doctor(
              store,
              intake,
              new TypeBudget(50_000, 20_000, () -> epochNanos / SECOND),
              registry,
              new Doctor.Surroundings(
                  () -> nanos,
                  () -> epochNanos,
                  () -> 1_000,
                  0,
                  PartitionWeights.DEFAULT,
                  65 * SECOND,
                  List::of));
    }

    /// Stores events, and tells the sender's table.
    void send(String sender, String type, int count, long ageSeconds) {
      IncomingBatch batch = lanes.begin(epochNanos);
      byte[] text = type.getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < count; i++) {
        batch.events.begin(text, 0, text.length, epochNanos - ageSeconds * SECOND);
        assertTrue(batch.end());
      }
      BatchSample sample = intake.sample(batch);
      CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
      lanes.write(batch, null, Durability.DISK, done::complete);
      BatchOutcome outcome = done.join();
      assertTrue(outcome instanceof BatchOutcome.Stored, outcome::toString);
      intake.senders().add("json", sender, null, sample, outcome);
    }

    /// A second passes, at the end of which maintenance would call the doctor.
    void second() {
      nanos += SECOND;
      epochNanos += SECOND;
      doctor.look();
    }

    List<String> codes() {
      return doctor.findings().stream().map(Finding::code).toList();
    }

    @Override
    public void close() {
      lanes.close();
      store.close();
    }
  }

  @Test
  void quietStoreHasNoFindings() {
    try (Patient patient = new Patient()) {
      assertEquals(List.of(), patient.codes(), "before the first look");
      for (int second = 0; second < 20; second++) {
        patient.send("10.0.0.1", "cpu", 10, 0);
        patient.second();
        assertEquals(List.of(), patient.codes());
      }
      TypePlan plan = patient.doctor.types().getFirst().plan();
      assertEquals("cpu", plan.type());
      assertEquals(1, plan.shards());
      assertEquals(10, patient.doctor.types().getFirst().perSecond(), 0.01);
    }
  }

  @Test
  void hotTypeIsNamedWithinTenSeconds() {
    try (Patient patient = new Patient()) {
      for (int second = 0; second < 8; second++) {
        patient.send("10.0.0.1", "cpu", 10, 0);
        patient.send("10.0.0.1", "disk", 10, 0);
        patient.second();
      }
      int seconds = 0;
      while (!patient.codes().contains("hot-type")) {
        assertTrue(seconds++ < 10, () -> patient.codes().toString());
        patient.send("10.0.0.1", "disk", EVENTS, 0);
        patient.second();
      }
      Finding hot = patient.doctor.findings().getFirst();
      assertEquals("disk", hot.subject());
      assertEquals(20_000.0, hot.limit());
    }
  }

  @Test
  void oversizePartitionIsNamedWithinTenSeconds() {
    try (Patient patient = new Patient()) {
      patient.second();
      for (int batch = 0; batch * EVENTS <= 2_000_000; batch++) {
        patient.send("10.0.0.1", "disk", EVENTS, 0);
      }
      int seconds = 0;
      while (!patient.codes().contains("oversize-partition")) {
        assertTrue(seconds++ < 10, () -> patient.codes().toString());
        patient.second();
      }
      assertEquals(
          TypePlan.Verdict.TOO_HOT, patient.doctor.types().getFirst().verdict(), "both are told");
      assertEquals(2, Diagnosis.ofPartitions(patient.doctor.types()).size());
    }
  }

  @Test
  void senderBehindIsNamedWithinTenSecondsAndNotForEver() {
    try (Patient patient = new Patient()) {
      patient.second();
      int seconds = 0;
      while (!patient.codes().contains("clock-skew")) {
        assertTrue(seconds++ < 10, () -> patient.codes().toString());
        patient.send("10.0.0.7", "cpu", 10, 90);
        patient.send("10.0.0.1", "cpu", 10, 0);
        patient.second();
      }
      Finding skew = patient.doctor.findings().getFirst();
      assertEquals("10.0.0.7", skew.subject());
      assertEquals(90.0, skew.value());
      for (int second = 0; second < 70; second++) {
        patient.send("10.0.0.7", "cpu", 10, 0);
        patient.second();
      }
      assertEquals(List.of(), patient.codes(), "its clock was set");
    }
  }
}
