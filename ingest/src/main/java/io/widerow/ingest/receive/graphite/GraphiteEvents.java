package io.widerow.ingest.receive.graphite;

import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.storage.StorageException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Makes events of Graphite's metrics. One with tags has the name before the first semicolon as its
/// type, and its tags as strings. One without has the type `graphite` and its path as `path`: paths
/// hold the names of hosts, so a type for each would be without bound. The number is `value`.
///
/// ```
///   disk.used;datacenter=dc1;rack=a1     type disk.used, datacenter, rack, value
///   servers.web1.cpu.load                type graphite, path, value
/// ```
///
/// Bytes that are not UTF-8 are escaped, see [EscapedText].
///
/// - Threads: one.
/// - Memory: allocates nothing for a good metric.
final class GraphiteEvents {
  private static final byte[] TYPE = ascii("graphite");
  private static final byte[] PATH = ascii("path");
  private static final byte[] VALUE = ascii("value");
  private static final AttributeLevels LEVELS = new AttributeLevels("", "tag.");
  private static final int TAGS = 1; // level

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int pathName = tape.constant(PATH);
  private final int valueName = tape.constant(VALUE);
  private byte[] bytes = new byte[0];
  private int escapedBytes; // of the copy that is decoded

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Stores or refuses one metric.
  ///
  /// @param time of the value
  void put(
      byte[] path, int offset, int length, double value, SenderTime time, IncomingBatch batch) {
    try {
      Rejection why = tryPut(path, offset, length, value, time, batch);
      EscapedText copy =
          why == null ? null : EscapedText.of(why, path, offset, offset + length, false);
      if (copy != null) {
        escapedBytes = copy.escaped();
        why = tryPut(copy.bytes(), 0, copy.length(), value, time, batch);
      }
      if (why != null) {
        batch.refuse(why.reason());
      }
    } catch (BadField bad) {
      batch.refuse(bad.reason());
    } catch (StorageException.ClockWrong behind) { // the sender cannot be asked to repeat it
      batch.refuse(String.valueOf(behind.getMessage()));
    } finally {
      escapedBytes = 0;
    }
  }

  private @Nullable Rejection tryPut(
      byte[] path, int offset, int length, double value, SenderTime time, IncomingBatch batch)
      throws BadField {
    bytes = path;
    tape.begin(bytes);
    tape.name(true, valueName, VALUE.length);
    tape.fraction(value);
    if (escapedBytes > 0) {
      tape.mark(EscapedText.MARK, escapedBytes);
    }
    int limit = offset + length;
    int nameEnd = find(';', offset, limit);
    if (nameEnd == limit) {
      tape.name(true, pathName, PATH.length);
      tape.string(false, offset, length);
    } else if (nameEnd == offset) {
      throw new BadField("path", 0, "there is no name before the tags");
    } else {
      tape.level(TAGS);
      if (!tags(nameEnd + 1, limit, offset)) {
        return Rejection.TOO_MANY_ATTRIBUTES;
      }
    }
    long nanos = time.take(batch, tape);
    if (nameEnd == limit) {
      batch.events.begin(TYPE, 0, TYPE.length, nanos);
    } else {
      batch.events.begin(bytes, offset, nameEnd - offset, nanos);
    }
    tape.writeTo(batch.events);
    return batch.tryEnd();
  }

  private int find(int wanted, int from, int limit) {
    int at = from;
    while (at < limit && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  /// Returns false when no event may have so many.
  private boolean tags(int from, int limit, int path) throws BadField {
    for (int tag = from; tag <= limit; ) {
      int end = find(';', tag, limit);
      int equals = find('=', tag, end);
      if (equals == end || equals == tag) {
        String found = BadField.shown(bytes, tag, end);
        throw new BadField("tag", tag - path, "must be name=value, got " + found);
      }
      if (tape.count() > EventLayout.ATTRIBUTES_MAX) {
        return false;
      }
      tape.name(false, tag, equals - tag);
      tape.string(false, equals + 1, end - equals - 1);
      tag = end + 1;
    }
    return true;
  }
}
