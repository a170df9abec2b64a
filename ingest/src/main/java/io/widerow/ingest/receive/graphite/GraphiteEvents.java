package io.widerow.ingest.receive.graphite;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.storage.StorageException;
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

  /// Stores or refuses one metric.
  ///
  /// @param wide the text of a value that no double holds; null for any other
  /// @param time of the value
  void put(
      byte[] path,
      int offset,
      int length,
      double value,
      byte @Nullable [] wide,
      SenderTime time,
      IncomingBatch batch) {
    try {
      tryPut(path, offset, length, value, wide, time, batch);
    } catch (BadField bad) {
      batch.refuse(bad.reason());
    } catch (StorageException.ClockWrong behind) { // the sender cannot be asked to repeat it
      batch.refuse(String.valueOf(behind.getMessage()));
    }
  }

  private void tryPut(
      byte[] path,
      int offset,
      int length,
      double value,
      byte @Nullable [] wide,
      SenderTime time,
      IncomingBatch batch)
      throws BadField {
    bytes = path;
    tape.begin(bytes);
    tape.name(true, valueName, VALUE.length);
    if (wide == null) {
      tape.fraction(value);
    } else {
      int at = tape.scratchLimit();
      tape.appendScratch(wide, 0, wide.length);
      tape.string(true, at, wide.length);
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
      tags(nameEnd + 1, limit, offset);
    }
    long nanos = time.take(batch, tape);
    byte[] type = nameEnd == limit ? TYPE : bytes;
    int typeOffset = nameEnd == limit ? 0 : offset;
    int typeBytes = nameEnd == limit ? TYPE.length : nameEnd - offset;
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    boolean _ = batch.end(tape, type, typeOffset, typeBytes);
  }

  private int find(int wanted, int from, int limit) {
    int at = from;
    while (at < limit && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  private void tags(int from, int limit, int path) throws BadField {
    for (int tag = from; tag <= limit; ) {
      int end = find(';', tag, limit);
      int equals = find('=', tag, end);
      if (equals == end || equals == tag) {
        String found = BadField.shown(bytes, tag, end);
        throw new BadField("tag", tag - path, "must be name=value, got " + found);
      }
      tape.name(false, tag, equals - tag);
      tape.string(false, equals + 1, end - equals - 1);
      tag = end + 1;
    }
  }
}
