package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.events.EventIntake;
import io.widerow.cql.events.NewEvent;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.socket.PortProvider;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Takes the events of INSERT through the daemon's lanes.
///
/// - Threads: any; the caller waits for the lanes.
/// - Memory: what a batch holds counts against the daemon's credit until it is stored.
final class CqlEvents implements EventIntake {
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);

  private final Intake intake;
  private final Durability durability;

  /// @param durability level at which events are accepted
  CqlEvents(Intake intake, Durability durability) {
    this.intake = intake;
    this.durability = durability;
  }

  @Override
  public void take(List<NewEvent> events, RequestPrincipal asker) {
    if (intake.draining()) {
      throw overloaded("the server stops");
    }
    intake.begun();
    try {
      requireStored(write(events, asker).join(), events.size(), durability);
    } catch (StorageException.ClockWrong behind) {
      throw overloaded(String.valueOf(behind.getMessage()));
    } finally {
      intake.finished();
    }
  }

  private CompletableFuture<BatchOutcome> write(List<NewEvent> events, RequestPrincipal asker) {
    IncomingBatch batch = intake.lanes().begin(intake.epochNanos());
    try {
      for (NewEvent event : events) {
        put(event, batch.events);
        Rejection why = batch.tryEnd();
        if (why != null) {
          throw CqlException.invalid(why.reason());
        }
      }
      intake.lanes().applyRules(batch);
    } catch (RuntimeException refused) {
      intake.lanes().drop(batch);
      throw refused;
    }
    long held = batch.events.memory().byteSize();
    intake.credit().claimInDebt(held);
    BatchSample sample = intake.sample(batch);
    CompletableFuture<BatchOutcome> outcome = new CompletableFuture<>();
    intake
        .lanes()
        .write(
            batch,
            null,
            durability,
            told -> {
              intake.credit().release(held);
              intake.senders().add(PortProvider.CQL, asker.client(), null, sample, told);
              outcome.complete(told);
            });
    return outcome;
  }

  private static void put(NewEvent event, EventBatch events) {
    byte[] type = event.type().getBytes(StandardCharsets.UTF_8);
    events.begin(type, 0, type.length, event.id());
    String body = event.body();
    if (body != null) {
      events.putString(BODY, 0, BODY.length, body.getBytes(StandardCharsets.UTF_8));
    }
    event
        .texts()
        .forEach((name, text) -> {
          byte[] key = name.getBytes(StandardCharsets.UTF_8);
          events.putString(key, 0, key.length, text.getBytes(StandardCharsets.UTF_8));
        });
    event
        .numbers()
        .forEach((name, number) -> {
          byte[] key = name.getBytes(StandardCharsets.UTF_8);
          events.putDouble(key, 0, key.length, number);
        });
  }

  /// @throws CqlException when not all is stored as it was promised
  static void requireStored(BatchOutcome outcome, int count, Durability promised) {
    switch (outcome) {
      case BatchOutcome.Stored stored -> {
        if (stored.refused().count() > 0) {
          throw CqlException.invalid(
              "%d of %d events refused: %s"
                  .formatted(stored.refused().count(), count, stored.refused().lastReason()));
        }
        if (promised == Durability.QUORUM && stored.durability() != Durability.QUORUM) {
          throw overloaded("the events are on this machine, and not on the cluster yet");
        }
      }
      case BatchOutcome.Overloaded() -> throw overloaded("overloaded");
      case BatchOutcome.DiskFull(String why) -> throw overloaded(why);
      case BatchOutcome.Failed(String why) -> throw new CqlException(Code.SERVER, why);
    }
  }

  private static CqlException overloaded(String why) {
    return new CqlException(Code.OVERLOADED, why);
  }
}
