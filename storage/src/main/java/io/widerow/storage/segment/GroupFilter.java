package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeNames;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.TokenFilter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Interleaved token filters (blocked Bloom filters) of a group of blocks. The lines of all blocks
/// for one token are adjacent, so reading one page can rule out blocks of the whole group.
///
/// ```
///  +-----------+--------+--------+-- ~ --+
///  | directory | page 0 | page 1 |       |    each followed by its CRC32C, 4 bytes
///  +-----------+--------+--------+-- ~ --+
///
///  directory:  byte 0 | byte hashes | varint blocks | varint pageLines | varint columns | ...
///  a column:   byte nameBytes | name | varint lines
///
///  the pages of a column, of three blocks and two lines a page:
///  +---------+---------+---------+---------+---------+---------+-----+---------+-- ~
///  | line 0  | line 0  | line 0  | line 1  | line 1  | line 1  | crc | line 2  |
///  | block 0 | block 1 | block 2 | block 0 | block 1 | block 2 |     | block 0 |
///  +---------+---------+---------+---------+---------+---------+-----+---------+-- ~
/// ```
///
/// Columns and their pages are in ascending name order. Lines are those of [TokenFilter]. A column
/// of strings that has no entry may have any token. The first byte distinguishes a group from a
/// block, which has at least one event.
///
/// - Threads: one.
/// - Memory: one page and the directory.
public final class GroupFilter {
  /// Approximate page size. A disk reads no less.
  static final int PAGE_BYTES = 1 << 12;

  public static final int LINES_MAX = 1 << 14;

  private static final long ALL = -1;

  private final PieceReader pieces;
  private final SegmentGroups groups;
  private final AttributeNames cache = new AttributeNames();
  private int group = -1; // whose directory is loaded
  private int hashes;
  private int blocks;
  private int pageLines;
  private int columns;
  private AttributeName[] names = new AttributeName[0];
  private int[] lines = new int[0];
  private long[] offsets = new long[0];

  GroupFilter(PieceReader pieces, SegmentGroups groups) {
    this.pieces = pieces;
    this.groups = groups;
  }

  /// Bytes read so far.
  public long bytesRead() {
    return pieces.bytesRead();
  }

  /// Bytes of the pages of a column.
  public static long columnBytes(int lines, int blocks, int pageLines) {
    long pages = Math.ceilDiv(lines, pageLines);
    return (long) lines * blocks * TokenFilter.LINE_BYTES + pages * SegmentFormat.CRC_BYTES;
  }

  /// Lines of a page.
  static int pageLines(int blocks) {
    return Math.max(1, PAGE_BYTES / (TokenFilter.LINE_BYTES * blocks));
  }

  /// True when a filter tests tokens, so that [#mayKeep] can rule out blocks.
  public static boolean isAsked(Filter filter) {
    return switch (filter) {
      case Filter.Contains _, Filter.Has _ -> true;
      case Filter.Matches(var _, var test) -> test.required() != null;
      case Filter.Compare(var _, var comparison, var literal) ->
          comparison == Comparison.EQUAL && literal instanceof Literal.Word;
      case Filter.And(var parts) -> parts.stream().anyMatch(GroupFilter::isAsked);
      case Filter.Or(var parts) -> parts.stream().allMatch(GroupFilter::isAsked);
      default -> false;
    };
  }

  /// Mask of the group's blocks of which a filter may keep events. Block `i` of the group is bit
  /// `i`.
  ///
  /// @throws StorageException.Corrupt when the group's filter is damaged
  public long mayKeep(int asked, Filter filter) {
    return switch (filter) {
      case Filter.Contains(var name, var needle) -> mayHave(asked, name, needle, false);
      case Filter.Has(var name, var words) -> mayHave(asked, name, words, true);
      case Filter.Matches(var name, var test) -> {
        Text required = test.required();
        yield required == null ? ALL : mayHave(asked, name, required, false);
      }
      case Filter.Compare(var name, var comparison, Literal.Word(var text)) ->
          comparison == Comparison.EQUAL ? mayHave(asked, name, text, true) : ALL;
      case Filter.And(var parts) -> {
        long all = ALL;
        for (Filter part : parts) {
          all &= all == 0 ? 0 : mayKeep(asked, part);
        }
        yield all;
      }
      case Filter.Or(var parts) -> {
        long any = 0;
        for (Filter part : parts) {
          any |= any == ALL ? ALL : mayKeep(asked, part);
        }
        yield any;
      }
      default -> ALL;
    };
  }

  /// @param whole true when no word of the string extends beyond the needle's ends
  private long mayHave(int asked, AttributeName name, Text needle, boolean whole) {
    if (!groups.hasFilter(asked)) {
      return ALL;
    }
    readDirectory(asked);
    int column = Arrays.binarySearch(names, 0, columns, name);
    long found = ALL;
    for (int at = 0; column >= 0 && at < needle.length(); at++) {
      int start = at;
      while (at < needle.length() && Text.isToken(needle.at(at))) {
        at++;
      }
      boolean complete = whole || (start > 0 && at < needle.length());
      if (complete && at > start) {
        found &= mayHave(column, TokenFilter.hash(needle, start, at));
      }
    }
    return found;
  }

  private long mayHave(int column, long hash) {
    int line = TokenFilter.line(hash, lines[column]);
    ByteSource page = readPage(column, line / pageLines);
    int at = page.at() + line % pageLines * blocks * TokenFilter.LINE_BYTES;
    long found = 0;
    for (int block = 0; block < blocks; block++, at += TokenFilter.LINE_BYTES) {
      if (TokenFilter.mayHave(page.bytes(), at, hashes, hash)) {
        found |= 1L << block;
      }
    }
    return found;
  }

  private ByteSource readPage(int column, int page) {
    int first = page * pageLines;
    int bytes = TokenFilter.LINE_BYTES * blocks * Math.min(pageLines, lines[column] - first);
    int whole = TokenFilter.LINE_BYTES * blocks * pageLines + SegmentFormat.CRC_BYTES;
    return pieces.read(offsets[column] + (long) page * whole, bytes, "page of a filter");
  }

  private void readDirectory(int asked) {
    if (group == asked) {
      return;
    }
    group = -1;
    long offset = groups.offsets[asked];
    int bytes = groups.directoryBytes[asked] - SegmentFormat.CRC_BYTES;
    ByteSource in = pieces.read(offset, bytes, "directory of a filter");
    int blocksExpected = groups.firstBlock(asked + 1) - groups.firstBlock(asked);
    parse(in, blocksExpected, offset + groups.directoryBytes[asked], offset + groups.bytes[asked]);
    in.requireEnd("the directory");
    group = asked;
  }

  private void parse(ByteSource in, int blocksExpected, long first, long limit) {
    int mark = in.readByte();
    if (mark != 0) {
      throw in.corrupt("a filter that starts with " + mark);
    }
    hashes = in.readCount(1, TokenFilter.HASHES_MAX, "hashes");
    blocks = in.readCount(blocksExpected, blocksExpected, "blocks of a filter");
    pageLines = in.readCount(1, SegmentGroups.BLOCKS_MAX, "lines of a page");
    columns = in.readCount(1, in.left() / 3, "columns of a filter");
    if (names.length < columns) {
      names = new AttributeName[columns];
      lines = new int[columns];
      offsets = new long[columns];
    }
    long next = first;
    for (int i = 0; i < columns; i++) {
      int nameBytes = in.readByte();
      if (nameBytes == 0) {
        throw in.corrupt("an attribute without a name");
      }
      int nameAt = in.skip(nameBytes, "attribute name");
      names[i] = cache.at(MemorySegment.ofArray(in.bytes()), nameAt, nameBytes);
      if (i > 0 && names[i - 1].compareTo(names[i]) >= 0) {
        throw in.corrupt("attribute %s after %s".formatted(names[i], names[i - 1]));
      }
      lines[i] = in.readCount(1, LINES_MAX, "lines of a filter");
      offsets[i] = next;
      next += columnBytes(lines[i], blocks, pageLines);
    }
    if (next != limit) {
      throw in.corrupt("pages end at %d, the filter at %d".formatted(next, limit));
    }
  }

  /// Reads and checks a group's whole filter.
  public void verify(int asked) {
    if (!groups.hasFilter(asked)) {
      return;
    }
    readDirectory(asked);
    for (int i = 0; i < columns; i++) {
      for (int page = 0; page * pageLines < lines[i]; page++) {
        ByteSource _ = readPage(i, page);
      }
    }
  }
}
