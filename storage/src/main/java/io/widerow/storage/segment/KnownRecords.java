package io.widerow.storage.segment;

import io.widerow.event.RecordTemplate;
import io.widerow.event.RecordView;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cache of recent records with numbers and short texts, such as metric points. A later record of
/// the same series differs only in its numbers. For such a record the columns, the texts and the
/// places of its numbers are known, and nothing is looked up attribute by attribute.
///
/// ```
///   cpu | host=a | region=eu | usage_idle=97 |    known, with its columns and entries
///   cpu | host=b | region=us | usage_idle=3  |    known as the one after it
///   cpu | host=a | region=eu | usage_idle=96 |    fits: host and region as in that entry
/// ```
///
/// Series mostly take turns in the same order. So a record is first compared with the one that came
/// next last time, and its texts are hashed only on a mismatch. If few records hit, the cache
/// pauses for a while, each time for longer.
///
/// - Threads: one.
/// - Memory: about [#BYTES_MAX]. Beyond that no new place is filled, but a larger record may
///   replace a smaller one.
final class KnownRecords {
  private static final int PLACES = 4096;
  private static final long BYTES_MAX = 4 << 20;
  private static final int RECORD_BYTES_MAX = 1 << 11;
  private static final int TEXT_BYTES_MAX = 64;

  /// Number of records after which the cache checks whether lookups pay.
  private static final int WATCHED = 4096;

  private static final int PAUSE_MIN = 4 * WATCHED;
  private static final int PAUSE_MAX = 64 * WATCHED;

  /// Lookups pay when at least one in this many records hits.
  private static final int KNOWN_MIN = 4;

  /// A record, with its columns and entries in the block under construction.
  static final class Known {
    final RecordTemplate record = new RecordTemplate();
    private ColumnBuilder[] columns = new ColumnBuilder[0]; // by place in the record
    private int[] entries = new int[0]; // of these columns, in a block
    private int block;
    private long hash;
    private @Nullable Known next; // that followed it last

    private void take(RecordView event, ColumnBuilder first, long newHash, int newBlock) {
      event.copyTo(record);
      int attributes = record.attributes();
      if (columns.length < attributes) {
        columns = new ColumnBuilder[attributes];
        entries = new int[attributes];
      }
      ColumnBuilder column = first;
      for (int place = 0; place < attributes; place++) {
        columns[place] = Objects.requireNonNull(column);
        entries[place] = column.count - 1;
        column = column.next;
      }
      hash = newHash;
      block = newBlock;
    }

    ColumnBuilder column(int place) {
      return columns[place];
    }

    /// Adds the text at `place` to its column.
    void addText(int place, int row, int currentBlock) {
      ColumnBuilder column = columns[place];
      if (block == currentBlock) {
        column.addAgain(row, entries[place]);
      } else {
        entries[place] = column.count;
        column.addText(row, record, place);
      }
    }

    private long heldBytes() {
      return record.heldBytes() + (Long.BYTES + Integer.BYTES) * (long) columns.length;
    }
  }

  private final @Nullable Known[] table = new Known[PLACES];
  private long heldBytes;
  private int block;
  private @Nullable Known last;
  private long hash; // of the last lookup; 0 when its record cannot be cached
  private int looked;
  private int found;
  private int paused;
  private int pause = PAUSE_MIN;

  /// Number of the block under construction.
  int block() {
    return block;
  }

  /// Starts a block. Known entries of the previous block become invalid.
  void beginBlock() {
    block++;
  }

  /// Forgets all records.
  void clear() {
    Arrays.fill(table, null);
    heldBytes = 0;
    last = null;
  }

  /// The known record that an event matches; null when there is none. The caller adds the event's
  /// values to the record's columns and then calls [#added].
  @Nullable Known find(RecordView event) {
    hash = 0;
    if (paused > 0) {
      paused--;
      return null;
    }
    if (looked == WATCHED) {
      watch();
    }
    looked++;
    Known guess = last == null ? null : last.next;
    if (guess == null || !event.fits(guess.record)) {
      hash = event.length() > RECORD_BYTES_MAX ? 0 : event.seriesHash(TEXT_BYTES_MAX);
      guess = hash == 0 ? null : at(event);
    }
    if (guess != null) {
      found++;
      follow(guess);
    }
    return guess;
  }

  private void watch() {
    if (found < WATCHED / KNOWN_MIN) {
      paused = pause;
      pause = Math.min(2 * pause, PAUSE_MAX);
    } else {
      pause = PAUSE_MIN;
    }
    looked = 0;
    found = 0;
  }

  private @Nullable Known at(RecordView event) {
    for (int i = 0; i < 2; i++) {
      Known known = table[place() ^ i];
      if (known != null && known.hash == hash && event.fits(known.record)) {
        return known;
      }
    }
    return null;
  }

  private int place() {
    return (int) (hash >>> 20) & (PLACES - 1);
  }

  private void follow(Known known) {
    if (last != null) {
      last.next = known;
    }
    last = known;
  }

  /// Reports that all values of a known record are in the block.
  void added(Known known) {
    known.block = block;
  }

  /// Caches the record of the last lookup, which missed, if there is a place for it.
  ///
  /// @param first column of its first attribute; the others follow by [ColumnBuilder#next]. Its
  ///   values are the columns' last entries
  void learn(RecordView event, @Nullable ColumnBuilder first) {
    if (hash == 0 || first == null) {
      return;
    }
    int place = table[place()] == null ? place() : place() ^ 1;
    Known known = table[place];
    if (known == null) {
      if (heldBytes >= BYTES_MAX) {
        return;
      }
      known = new Known();
      table[place] = known;
    }
    heldBytes -= known.heldBytes();
    known.take(event, first, hash, block);
    heldBytes += known.heldBytes();
    follow(known);
  }
}
