package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Fetches the values of a partition, a few ahead of the one that is asked for.
///
/// - Threads: one.
/// - Memory: values ahead, at most [#BYTES_AHEAD] and one more.
final class ValueAhead {
  static final long BYTES_AHEAD = 4L << 20;
  private static final int COUNT_AHEAD = 16;

  private final Keyspace keyspace;
  private final List<DirectoryRow> rows;
  private final Map<SegmentKey, CompletableFuture<@Nullable ByteBuffer>> ahead = new HashMap<>();
  private final Set<SegmentKey> taken = new HashSet<>();
  private int next; // of the rows, to be asked for
  private long bytesAhead;

  /// The directory names a value that is not there, or is another one. Mostly the directory has
  /// changed since it was read.
  static final class Missing extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient SegmentKey key;
    final String found;

    Missing(SegmentKey key, String found) {
      super(key + ": " + found);
      this.key = key;
      this.found = found;
    }
  }

  /// @param rows in the order in which most are asked for
  ValueAhead(Keyspace keyspace, List<DirectoryRow> rows) {
    this.keyspace = keyspace;
    this.rows = rows;
  }

  /// The value of a row, checked against its checksum. A replica that does not have it, or has it
  /// damaged, is not the last word.
  ///
  /// @throws Missing when a quorum does not have it as the directory describes it
  ByteBuffer take(DirectoryRow row) {
    taken.add(row.key());
    CompletableFuture<@Nullable ByteBuffer> asked = ahead.remove(row.key());
    if (asked == null) {
      asked = keyspace.value(row.key(), false);
    } else {
      bytesAhead -= row.bytes();
    }
    fetchAhead();
    ByteBuffer value = Waits.of(asked);
    if (value != null && wrong(value, row) == null) {
      return value;
    }
    ByteBuffer agreed = Waits.of(keyspace.value(row.key(), true));
    if (agreed == null) {
      throw new Missing(row.key(), "the directory has a row, and there is no value");
    }
    String wrong = wrong(agreed, row);
    if (wrong != null) {
      throw new Missing(row.key(), wrong);
    }
    return agreed;
  }

  private void fetchAhead() {
    while (next < rows.size() && ahead.size() < COUNT_AHEAD && bytesAhead < BYTES_AHEAD) {
      DirectoryRow row = rows.get(next++);
      if (!taken.contains(row.key())) {
        bytesAhead += row.bytes();
        ahead.put(row.key(), keyspace.value(row.key(), false));
      }
    }
  }

  /// Null when the value is the one that the directory describes.
  private static @Nullable String wrong(ByteBuffer value, DirectoryRow row) {
    if (value.remaining() != row.bytes()) {
      return "%d bytes, the directory says %d".formatted(value.remaining(), row.bytes());
    }
    int crc = SegmentValue.crc(value);
    return crc == row.crc()
        ? null
        : "CRC32C %08x, the directory says %08x".formatted(crc, row.crc());
  }
}
