package io.widerow.ingest;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/// The last few events that were refused, for an operator who wonders why: where each came in, its
/// index in its batch, and the reason.
///
/// - Threads: any.
final class RejectedSamples {
  static final int KEPT_MAX = 20;

  /// Of one batch, so that a bad one does not push all others out.
  private static final int PER_BATCH_MAX = 3;

  private static final int REASON_CHARS_MAX = 200;

  private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this

  private record Sample(Instant when, String source, int index, String reason) {}

  /// Takes in what a batch had refused.
  void add(String source, Refusals refused) {
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

  /// Appends them as a JSON list, oldest first.
  synchronized void appendTo(StringBuilder json) {
    json.append('[');
    String comma = "";
    for (Sample sample : samples) {
      json.append(comma).append("{\"ts\":\"").append(sample.when).append("\",\"source\":");
      HttpAnswers.appendString(json, sample.source).append(",\"index\":").append(sample.index);
      HttpAnswers.appendString(json.append(",\"reason\":"), sample.reason).append('}');
      comma = ",";
    }
    json.append(']');
  }
}
