package io.widerow.storage.segment;

import io.widerow.event.RecordTemplate;
import io.widerow.event.RecordView;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The records that came lately to a segment and have numbers and short texts, as points of metrics
/// do: a later one of the same series differs from it in its numbers alone. Which columns it goes
/// to, what its texts are and where its numbers stand is known then, and nothing of it is looked at
/// by itself.
///
/// ```
///   cpu | host=a | region=eu | usage_idle=97 |    known, with its columns and entries
///   cpu | host=b | region=us | usage_idle=3  |    known as what came behind it
///   cpu | host=a | region=eu | usage_idle=96 |    fits: host and region as in that entry
/// ```
///
/// Series mostly take turns in the same order, so the one that followed last time is held against
/// the record first, and only then its texts are hashed. Where few records are known nothing is
/// looked at for a while, each time for longer.
///
/// - Threads: one.
/// - Memory: about [#BYTES_MAX]: no new place is taken behind that, but a larger record may take
///   that of a smaller one.
final class KnownRecords {
  private static final int PLACES = 4096;
  private static final long BYTES_MAX = 4 << 20;
  private static final int RECORD_BYTES_MAX = 1 << 11;
  private static final int TEXT_BYTES_MAX = 64;

  /// Records after which it is seen whether looking pays, and without looking when it does not.
  private static final int WATCHED = 4096;

  private static final int PAUSE_MIN = 4 * WATCHED;
  private static final int PAUSE_MAX = 64 * WATCHED;

  /// It pays when one of so many is known.
  private static final int KNOWN_MIN = 4;

  /// A record, and where the block that is being built has what is in it.
  static final class Known {
    final RecordTemplate record = new RecordTemplate();
    private ColumnBuilder[] columns = new ColumnBuilder[0]; // by place in the record
    private int[] entries = new int[0]; // of these columns, in a block
    private int block;
    private long hash;
    private @Nullable Known next; // that came behind it last

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

    /// Adds the text at a place to its column.
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
  private long hash; // of the record that was looked for last; 0 when it cannot be known
  private int looked;
  private int found;
  private int paused;
  private int pause = PAUSE_MIN;

  /// The block that is being built.
  int block() {
    return block;
  }

  /// What was known of entries is true no more.
  void beginBlock() {
    block++;
  }

  /// Forgets all.
  void clear() {
    Arrays.fill(table, null);
    heldBytes = 0;
    last = null;
  }

  /// The known record that an event fits; null when there is none. The caller adds the event's
  /// values to its columns and, when all are there, calls [#added].
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

  /// Says that all values of a known record are in the block.
  void added(Known known) {
    known.block = block;
  }

  /// Knows the record that was looked for last, and not found, from now on, if there is a place for
  /// it.
  ///
  /// @param first the column of its first attribute; the others follow by [ColumnBuilder#next], and
  ///   its values are the last entries of them
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
