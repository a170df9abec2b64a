package io.widerow.ingest.intake;

import io.widerow.ingest.decode.Refusals;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// The last few refused events, with the reasons, for an operator who looks for the cause.
///
/// - Threads: any.
public final class RejectedSamples {
  static final int KEPT_MAX = 20;

  /// Limit per batch: one bad batch does not push out the samples of all others.
  private static final int PER_BATCH_MAX = 3;

  private static final int REASON_CHARS_MAX = 200;

  private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this

  /// One refused event.
  ///
  /// @param source where it came in: the path of an endpoint, or the name of a protocol
  /// @param index in its batch
  public record Sample(Instant when, String source, int index, String reason) {}

  /// Adds the first refusals of a batch.
  public void add(String source, Refusals refused) {
    if (refused.listed() > 0) {
      add(Instant.now(), source, refused);
    }
  }

  private synchronized void add(Instant now, String source, Refusals refused) {
    for (int i = 0; i < Math.min(refused.listed(), PER_BATCH_MAX); i++) {
      if (samples.size() == KEPT_MAX) {
        samples.removeFirst();
      }
      String reason = refused.reason(i);
      String shown = reason.substring(0, Math.min(reason.length(), REASON_CHARS_MAX));
      samples.addLast(new Sample(now, source, refused.index(i), shown));
    }
  }

  /// The samples kept now, oldest first.
  public synchronized List<Sample> list() {
    return List.copyOf(samples);
  }
}
