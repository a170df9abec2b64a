package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.socket.StreamDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes Graphite's pickle protocol: frames of a length and a pickle of metrics, as carbon's own
/// senders and Dropwizard Metrics write them.
///
/// ```
///   +-----------------------+------------------------------------------+
///   | length, 4, big-endian | pickle of [(path, (time, value)), ...]   |
///   +-----------------------+------------------------------------------+
/// ```
///
/// Time and value are numbers, or texts of numbers. A frame that is no such pickle is refused as a
/// whole, as one event; an entry that is no metric is refused alone. A frame of more than 1 MiB
/// ends the connection. Nothing is unpickled, see [PickleReader].
///
/// - Threads: one.
/// - Memory: allocates nothing for a good metric.
public final class PickleDecoder implements StreamDecoder {
  /// Largest pickle, as carbon itself takes.
  public static final int FRAME_BYTES_MAX = 1 << 20;

  private static final int HEADER_BYTES = 4;

  /// A pickle has a path once and may use it often: bounds the size of a decoded frame.
  private static final long FRAME_EVENTS_BYTES_MAX = 32L << 20;

  private final PickleReader pickle = new PickleReader();
  private final GraphiteEvents events = new GraphiteEvents();
  private final DecimalText number = new DecimalText();
  private final SenderTime time = new SenderTime();
  private double value; // read last
  private byte @Nullable [] wide; // its text, when no double holds it

  @Override
  public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    if (limit - offset < HEADER_BYTES) {
      return MORE;
    }
    int length = length(bytes, offset);
    if (length < 0 || length > FRAME_BYTES_MAX) {
      return BROKEN;
    }
    int from = offset + HEADER_BYTES;
    if (limit - from < length) {
      return MORE;
    }
    frame(bytes, from, from + length, batch);
    return from + length;
  }

  private static int length(byte[] bytes, int at) {
    return bytes[at] << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }

  @Override
  public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int there = limit - offset - HEADER_BYTES;
    if (there < 0) {
      batch.refuse("frame: it ends within its length");
      return;
    }
    long length = Integer.toUnsignedLong(length(bytes, offset));
    batch.refuse(
        length > FRAME_BYTES_MAX
            ? "frame: its length is %d bytes, at most %d are allowed"
                .formatted(length, FRAME_BYTES_MAX)
            : "frame: it ends after %d of %d bytes".formatted(there, length));
  }

  /// Decodes one pickle.
  void frame(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int all;
    try {
      all = pickle.read(bytes, offset, limit);
    } catch (PickleReader.Bad bad) {
      batch.refuse(String.valueOf(bad.getMessage()));
      return;
    }
    if (!pickle.isCollection(all)) {
      batch.refuse("pickle at byte 0: it is no list of metrics");
      return;
    }
    long bytesMax = batch.events.bytes() + FRAME_EVENTS_BYTES_MAX;
    int index = 0;
    for (int entry = pickle.child(all); entry != PickleReader.NONE; entry = pickle.next(entry)) {
      String wrong =
          batch.events.bytes() > bytesMax
              ? "metric: the metrics of the frame before it need 32 MiB"
              : metric(entry, batch);
      if (!wrong.isEmpty()) {
        batch.refuse("entry %d of the pickle, %s".formatted(index, wrong));
      }
      index++;
    }
  }

  /// Stores one metric. Returns why it is refused; empty when it is stored.
  private String metric(int entry, IncomingBatch batch) {
    if (!pickle.isCollection(entry) || pickle.size(entry) != 2) {
      return "metric: must be (path, (time, value))";
    }
    int path = pickle.child(entry);
    int point = pickle.next(path);
    if (!pickle.isText(path) || pickle.size(path) == 0) {
      return "path: must be a text";
    }
    if (!pickle.isCollection(point) || pickle.size(point) != 2) {
      return "point: must be (time, value)";
    }
    int when = pickle.child(point);
    if (!time(when, batch.wallNanos)) {
      return "time: must be a number or a text";
    }
    if (!read(pickle.next(when))) {
      return "value: must be a number";
    }
    int from = pickle.offset(path);
    events.put(pickle.source(path), from, pickle.size(path), value, wide, time, batch);
    return "";
  }

  /// Takes the time of a point; -1 is that of its arrival. False when it is neither text nor
  /// number.
  private boolean time(int item, long nowNanos) {
    time.clear();
    if (pickle.isText(item)) {
      String text =
          new String(
              pickle.source(item), pickle.offset(item), pickle.size(item), StandardCharsets.UTF_8);
      if (!text.equals("-1")) {
        time.text(text, nowNanos);
      }
      return true;
    }
    if (!read(item)) {
      return false;
    }
    if (value != -1 && pickle.kind(item) == PickleReader.LONG) {
      time.whole(pickle.bits(item), EpochText.AUTO);
    } else if (value != -1) {
      time.fraction(value);
    }
    return true;
  }

  /// Reads a number, or a text of one, into `value`.
  private boolean read(int item) {
    byte kind = pickle.kind(item);
    wide = null;
    if (pickle.isText(item)) {
      int from = pickle.offset(item);
      byte[] source = pickle.source(item);
      boolean read = number.readAny(source, from, from + pickle.size(item));
      value = number.value;
      wide = number.wide ? Arrays.copyOfRange(source, from, from + pickle.size(item)) : null;
      return read || number.wide;
    }
    value =
        kind == PickleReader.LONG ? pickle.bits(item) : Double.longBitsToDouble(pickle.bits(item));
    return kind == PickleReader.LONG || kind == PickleReader.DOUBLE;
  }
}
