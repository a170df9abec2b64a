package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.Swar;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Runs a decoder over a body and shows the result.
public final class Decoding {
  public static final long ARRIVAL_NANOS = 1_700_000_000_000_000_000L;

  private Decoding() {}

  /// A decoder with its options.
  @FunctionalInterface
  public interface Decoder {
    void decode(byte[] body, int limit, IncomingBatch batch);
  }

  /// The decoded batch.
  public record Result(List<MemoryStore.Stored> stored, Refusals refused, boolean ownTimes) {}

  public static Result of(String body, Decoder decoder) {
    return of(body.getBytes(StandardCharsets.UTF_8), decoder);
  }

  /// As [#of], of a body that arrives then.
  public static Result at(long arrivalNanos, String body, Decoder decoder) {
    return of(arrivalNanos, body.getBytes(StandardCharsets.UTF_8), decoder);
  }

  public static Result of(byte[] body, Decoder decoder) {
    return of(ARRIVAL_NANOS, body, decoder);
  }

  private static Result of(long arrivalNanos, byte[] body, Decoder decoder) {
    return of(arrivalNanos, Long.MAX_VALUE, body, decoder);
  }

  /// As [#of], for a store that takes no later times.
  public static Result until(long latestNanos, byte[] body, Decoder decoder) {
    return of(ARRIVAL_NANOS, latestNanos, body, decoder);
  }

  private static Result of(long arrivalNanos, long latestNanos, byte[] body, Decoder decoder) {
    MemoryStore store = new MemoryStore(1);
    try (EventBatch events = new EventBatch(1 << 10, 64 << 20)) {
      IncomingBatch batch =
          new IncomingBatch(events, arrivalNanos, latestNanos, () -> arrivalNanos);
      byte[] slack = Arrays.copyOf(body, body.length + Swar.SLACK_BYTES);
      Arrays.fill(slack, body.length, slack.length, (byte) '"'); // must not be read as content
      decoder.decode(slack, body.length, batch);
      assert batch.decoded() == events.count() + batch.refused.count();
      int _ = store.lanes.get(0).append(events, 0, (index, why) -> {});
      long _ = store.lanes.get(0).commit(io.widerow.storage.Durability.DISK);
      return new Result(store.committed, batch.refused, batch.ownTimes());
    }
  }
}
