package io.widerow.ingest.receive.fluent;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.ClosedBuckets;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import io.widerow.ingest.socket.StreamDecoder;

/// Decodes a stream of Fluent Forward into one batch, without a daemon.
public final class FluentDecoding {
  private static final int BODY_BYTES_MAX = 1 << 20;
  private static final MemoryStore STORE = new MemoryStore(1);

  /// Its lanes never start.
  public static final Intake INTAKE =
      new Intake(
          new Lanes(
              STORE,
              new Lanes.Settings(2, 0, 1 << 20, 0),
              () -> new SpinThenParkWaitStrategy(0),
              new BatchPool(1 << 20, 1 << 18, 64),
              new SimpleMeterRegistry(),
              () -> 0),
          new ByteCredit(1 << 26),
          new Intake.Limits(BODY_BYTES_MAX, 100, 1),
          new ClosedBuckets(1, 0),
          new BodyDigest(STORE.secret()),
          () -> null,
          () -> 0);

  private FluentDecoding() {}

  /// Decodes all messages, also messages that need a separate batch.
  public static void decode(byte[] body, int limit, IncomingBatch batch) {
    int end = decode(new FluentStream(INTAKE, null), body, limit, batch);
    if (end != StreamDecoder.MORE && end != StreamDecoder.BROKEN) {
      throw new AssertionError("ended with " + end);
    }
    if (INTAKE.credit().bytesUsed() != 0) {
      throw new AssertionError(INTAKE.credit().bytesUsed() + " bytes of credit are not back");
    }
  }

  /// @return [StreamDecoder#MORE] or [StreamDecoder#BROKEN]
  static int decode(FluentStream stream, byte[] body, int limit, IncomingBatch batch) {
    stream.oneBatch();
    int at = 0;
    while (true) {
      int next = stream.decode(body, at, limit, batch);
      if (next < 0) {
        return next;
      }
      if (next <= at || next > limit) {
        throw new AssertionError("a message of [%d, %d) of %d".formatted(at, next, limit));
      }
      at = next;
    }
  }
}
