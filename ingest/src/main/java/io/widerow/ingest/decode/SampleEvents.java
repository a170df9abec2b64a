package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Writes samples that the daemon makes itself as events, in the form of those of remote write.
///
/// ```
///   TYPE OF THE METRIC   labels, value
///   TYPE OF THE METRIC   labels, stale = true     the series has ended
/// ```
///
/// - Threads: one.
public final class SampleEvents {
  private static final AttributeLevels LEVELS = new AttributeLevels("", "label.");
  private static final int OWN = 0;
  private static final int LABEL = 1;
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final AttributeTape tape = new AttributeTape(LEVELS);

  /// Begins an event; its attributes follow.
  public void begin() {
    tape.begin(new byte[0]);
  }

  /// Adds a text.
  public void put(String name, String value) {
    name(name);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    int at = tape.scratchLimit();
    tape.appendScratch(bytes, 0, bytes.length);
    tape.string(true, at, bytes.length);
  }

  /// Adds a whole number.
  public void put(String name, long value) {
    name(name);
    tape.whole(value);
  }

  /// Ends the event. One that the store cannot hold is refused.
  ///
  /// @param millis its time, since the Unix epoch
  public void end(IncomingBatch batch, String type, long millis) {
    byte[] bytes = type.getBytes(StandardCharsets.UTF_8);
    batch.events.begin(bytes, 0, bytes.length, millis * NANOS_PER_MILLISECOND);
    tape.writeTo(batch.events);
    boolean _ = batch.end(tape, bytes, 0, bytes.length);
  }

  /// Adds a sample to a batch.
  ///
  /// @param labels without the name
  public void sample(
      IncomingBatch batch, String metric, Map<String, String> labels, long millis, double value) {
    labels(labels);
    name("value");
    tape.fraction(value);
    end(batch, metric, millis);
  }

  /// Adds the end of a series to a batch.
  public void marker(IncomingBatch batch, String metric, Map<String, String> labels, long millis) {
    labels(labels);
    name("stale");
    tape.truth(true);
    end(batch, metric, millis);
  }

  private void labels(Map<String, String> labels) {
    begin();
    tape.level(LABEL);
    labels.forEach(this::put);
    tape.level(OWN);
  }

  private void name(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int at = tape.scratchLimit();
    tape.appendScratch(bytes, 0, bytes.length);
    tape.name(true, at, bytes.length);
  }
}
