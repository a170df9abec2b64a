package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.RecordView;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.IdEncoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.text.EventTimes;
import io.widerow.storage.text.TokenSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writer of blocks: it collects the events of one block column by column and encodes them.
///
/// ```
///  +-----------+-----+------------------+
///  | directory | ids | column chunks .. |    each followed by its CRC32C, 4 bytes
///  +-----------+-----+------------------+
///
///  directory:  varint events | varint idsBytes | varint columns | columns ...
///              [ varint leaders | varint column ... ]
///  a column:   byte nameBytes | name | byte kind | varint present | byte flags |
///              [ long least | long greatest ] | varint chunkBytes
/// ```
///
/// Columns are in ascending order of names, then kinds. Flag 1: least and greatest value are
/// present, of doubles as raw bits without NaNs. Flag 2: the column needs the series that the
/// leaders distinguish, see [Series]; leaders are present when a column has this flag. Flag 4: its
/// numbers are compressed, see [ColumnEncoder]. Flag 8: it needs the events' times, see
/// [EventTimes]. Sizes exclude the checksum.
///
/// - Threads: one.
/// - Memory: one block, and the known records.
final class BlockWriter implements AutoCloseable {
  private static final long EVENT_BYTES = EventView.PLAIN_BYTES;
  private static final int BREATH_EVENTS = 64;
  private static final int COLUMNS_REMEMBERED = 8_000;
  private static final int COLUMNS_KEPT = 64; // in memory that is used again

  private final Throttle throttle;
  private final BlockCompressor compressor;
  private final ColumnEncoder columns;
  private final IdEncoder ids;
  private final KnownRecords known = new KnownRecords();
  private final Series series = new Series();
  private final EventTimes times = new EventTimes();
  private final SeriesFinder finder;
  private final TokenSet tokenSet = new TokenSet();
  private final boolean tokensWanted;
  private final Map<AttributeName, long[]> tokens = new HashMap<>();
  private final Map<AttributeName, List<ColumnBuilder>> byName = new HashMap<>();
  private final List<ColumnBuilder> used = new ArrayList<>();
  private final List<ColumnBuilder> written = new ArrayList<>(); // those of `used` in this block
  private final AttributeValue scratch = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::visit;
  private final ByteSink directory = new ByteSink();
  private final ByteSink chunks = new ByteSink();
  private byte[] record = new byte[0]; // the one at hand
  private int remembered;
  private @Nullable ColumnBuilder before;
  private @Nullable ColumnBuilder first;
  private long rawBytes;

  BlockWriter(SegmentProfile form, Throttle throttle) {
    this.throttle = throttle;
    compressor = new BlockCompressor(form.zstdLevel(), throttle);
    tokensWanted = form.filterBits() > 0;
    columns = new ColumnEncoder(compressor, tokenSet);
    ids = new IdEncoder(columns.longs(), compressor.thorough());
    finder = new SeriesFinder(!compressor.thorough());
  }

  int events() {
    return ids.count();
  }

  /// Bytes of the block's attributes so far.
  long rawBytes() {
    return rawBytes;
  }

  int columns() {
    return used.size();
  }

  IdEncoder ids() {
    return ids;
  }

  /// Tokens of each string column of the last finished block, if tokens are collected. Valid until
  /// the next block is finished.
  Map<AttributeName, long[]> tokens() {
    return tokens;
  }

  void add(EventView event) {
    if (ids.count() % BREATH_EVENTS == 0) {
      throttle.breathe();
    }
    if (event instanceof RecordView record) {
      add(record);
    } else {
      addEach(event);
    }
    ids.add(event);
    rawBytes += EVENT_BYTES;
  }

  private void add(RecordView event) {
    KnownRecords.Known like = known.find(event);
    if (like != null) {
      add(event, like);
    } else {
      addOne(event);
      known.learn(event, before == null ? null : first);
    }
  }

  /// Adds a record that is not known: from a copy of it on the heap, where reading it costs half.
  private void addOne(RecordView event) {
    int length = event.length();
    if (record.length < length + ByteSource.SLACK) {
      record = new byte[2 * length + ByteSource.SLACK];
    }
    event.copyTo(record);
    int row = ids.count();
    int attributes = EventLayout.attributes(record);
    int at = EventLayout.attributesOffset(record);
    before = null;
    for (int place = 0; place < attributes; place++) {
      int name = EventLayout.nameOffset(at);
      int nameBytes = EventLayout.nameBytes(record, at);
      byte kind = EventLayout.kindCode(record, at);
      ColumnBuilder column = before == null ? first : before.next;
      if (!isOf(column, kind, name, nameBytes)) {
        column = before == null ? null : before.nextToo;
      }
      if (column == null || !isOf(column, kind, name, nameBytes)) {
        column = columnOf(AttributeName.of(record, name, nameBytes), AttributeKind.of(kind));
      }
      follow(column);
      at = addValue(column, row, name + nameBytes);
    }
  }

  /// Adds the value at `value` of the copied record and returns the offset after it.
  private int addValue(ColumnBuilder column, int row, int value) {
    if (column.kind.isText()) {
      int bytes = EventLayout.textBytes(record, value);
      int text = EventLayout.textOffset(value);
      column.addText(row, record, text, bytes);
      rawBytes += bytes + 4L;
      return text + bytes;
    }
    rawBytes += Long.BYTES;
    if (column.kind == AttributeKind.BOOLEAN) {
      column.addNumber(row, record[value]);
      return value + 1;
    }
    column.addNumber(row, EventLayout.bits(record, value));
    return value + Long.BYTES;
  }

  /// True when a column has the name and the kind of an attribute of the copied record.
  private boolean isOf(@Nullable ColumnBuilder column, byte kind, int name, int nameBytes) {
    return column != null
        && column.kind.code == kind
        && column.name.matches(record, name, nameBytes);
  }

  private void addEach(EventView event) {
    before = null;
    event.forEach(scratch, visitor);
  }

  private void add(RecordView event, KnownRecords.Known like) {
    int row = ids.count();
    for (int place = 0; place < like.record.attributes(); place++) {
      ColumnBuilder column = like.column(place);
      if (column.count == 0) {
        used.add(column);
      }
      if (column.kind.isText()) {
        like.addText(place, row, known.block());
        rawBytes += like.record.textBytes(place) + 4L;
      } else {
        column.addNumber(row, event.bits(like.record, place));
        rawBytes += Long.BYTES;
      }
    }
    known.added(like);
  }

  private void visit(AttributeName name, AttributeValue value) {
    AttributeKind kind = value.kind();
    ColumnBuilder expected = before == null ? first : before.next;
    if (expected == null || expected.kind != kind || !expected.name.equals(name)) {
      expected = columnOf(name, kind);
    }
    follow(expected);
    expected.add(ids.count(), value);
    rawBytes += kind.isText() ? value.length() + 4L : Long.BYTES;
  }

  /// The column follows the one before it in this event, and likely in the next one.
  private void follow(ColumnBuilder column) {
    if (before == null) {
      first = column;
    } else if (before.next != column) {
      before.nextToo = before.next;
      before.next = column;
    }
    before = column;
    if (column.count == 0) {
      used.add(column);
    }
  }

  private ColumnBuilder columnOf(AttributeName name, AttributeKind kind) {
    List<ColumnBuilder> kinds = byName.computeIfAbsent(name, _ -> new ArrayList<>(1));
    for (ColumnBuilder column : kinds) {
      if (column.kind == kind) {
        return column;
      }
    }
    ColumnBuilder column = new ColumnBuilder(name, kind);
    kinds.add(column);
    remembered++;
    return column;
  }

  /// Encodes the first `events` events into `out` as a block. The rest start the next block.
  ///
  /// @param fileOffset file offset of the block
  /// @return bytes of the directory, including the checksum
  int finish(int events, ByteSink out, SegmentChecksum checksum, long fileOffset) {
    written.clear();
    for (ColumnBuilder column : used) {
      column.cut(events);
      if (column.count > 0) {
        written.add(column);
      }
    }
    written.sort(ColumnBuilder.ORDER);
    tokens.clear();
    chunks.clear();
    directory.clear();
    int[] sizes = new int[written.size()];
    ids.put(events, chunks);
    times.of(ids.times());
    int idsBytes = chunks.length();
    throttle.breathe();
    finder.find(written, events, series);
    boolean followed = false;
    for (int i = 0; i < written.size(); i++) {
      int start = chunks.length();
      throttle.breathe();
      ColumnBuilder column = written.get(i);
      column.place = i;
      boolean gathered = tokensWanted && column.kind == AttributeKind.STRING;
      tokenSet.begin(gathered, column.tokens);
      column.flags = columns.encode(column, events, series, times, chunks);
      followed |= (column.flags & ColumnFlags.FOLLOWS) != 0;
      sizes[i] = chunks.length() - start;
      if (gathered) {
        long[] hashes = tokenSet.hashes();
        column.tokens = hashes.length;
        tokens.put(column.name, hashes);
      }
    }
    putDirectory(events, idsBytes, sizes);
    if (followed) {
      putLeaders();
    } else {
      finder.foundUseless();
    }
    int start = out.length();
    int directoryBytes = directory.length() + SegmentFormat.CRC_BYTES;
    put(directory, 0, directory.length(), out, checksum, fileOffset - start);
    put(chunks, 0, idsBytes, out, checksum, fileOffset - start);
    for (int i = 0, at = idsBytes; i < written.size(); at += sizes[i], i++) {
      put(chunks, at, sizes[i], out, checksum, fileOffset - start);
    }
    keepRest(events);
    return directoryBytes;
  }

  private void keepRest(int events) {
    ids.keepRest(events);
    rawBytes = EVENT_BYTES * ids.count();
    for (ColumnBuilder column : used) {
      rawBytes += column.keepRest(events);
    }
    used.removeIf(column -> column.count == 0);
    known.beginBlock();
    if (remembered > COLUMNS_REMEMBERED) {
      forget();
    }
  }

  /// Forgets everything that the next block could depend on, and keeps the memory.
  void renew() {
    ids.keepRest(ids.count());
    rawBytes = 0;
    used.clear();
    written.clear();
    first = null;
    before = null;
    known.clear();
    known.beginBlock();
    finder.renew();
    columns.renew();
    if (remembered > COLUMNS_KEPT) {
      byName.clear();
      remembered = 0;
    }
    byName.values().forEach(kinds -> kinds.forEach(ColumnBuilder::renew));
  }

  /// Drops unused columns.
  private void forget() {
    byName.clear();
    first = null;
    known.clear();
    for (ColumnBuilder column : used) {
      column.next = null;
      column.nextToo = null;
      byName.computeIfAbsent(column.name, _ -> new ArrayList<>(1)).add(column);
    }
    remembered = used.size();
  }

  private static void put(
      ByteSink source, int from, int count, ByteSink out, SegmentChecksum checksum, long base) {
    int start = out.length();
    out.put(source.bytes(), from, count);
    checksum.seal(out, start, base + start);
  }

  private void putDirectory(int events, int idsBytes, int[] sizes) {
    directory.putVarint(events);
    directory.putVarint(idsBytes);
    directory.putVarint(written.size());
    for (int i = 0; i < written.size(); i++) {
      ColumnBuilder column = written.get(i);
      int nameBytes = column.name.length();
      directory.putByte(nameBytes);
      column.name.copyTo(directory.reserve(nameBytes), directory.length());
      directory.advance(nameBytes);
      directory.putByte(column.kind.code);
      directory.putVarint(column.count);
      putFlags(column);
      directory.putVarint(sizes[i]);
    }
  }

  private void putLeaders() {
    directory.putVarint(finder.leaders().size());
    for (ColumnBuilder leader : finder.leaders()) {
      directory.putVarint(leader.place);
    }
  }

  private void putFlags(ColumnBuilder column) {
    int flagsAt = directory.length();
    directory.putByte(column.flags);
    if (column.kind == AttributeKind.LONG) {
      long least = Long.MAX_VALUE;
      long greatest = Long.MIN_VALUE;
      for (int i = 0; i < column.count; i++) {
        least = Math.min(least, column.values[i]);
        greatest = Math.max(greatest, column.values[i]);
      }
      directory.bytes()[flagsAt] = (byte) (column.flags | ColumnFlags.RANGED);
      directory.putLong(least);
      directory.putLong(greatest);
    } else if (column.kind == AttributeKind.DOUBLE) {
      double least = Double.POSITIVE_INFINITY;
      double greatest = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < column.count; i++) {
        double value = Double.longBitsToDouble(column.values[i]);
        if (!Double.isNaN(value)) {
          least = Math.min(least, value);
          greatest = Math.max(greatest, value);
        }
      }
      directory.bytes()[flagsAt] = (byte) (column.flags | ColumnFlags.RANGED);
      directory.putLong(Double.doubleToRawLongBits(least));
      directory.putLong(Double.doubleToRawLongBits(greatest));
    }
  }

  @Override
  public void close() {
    compressor.close();
  }
}
