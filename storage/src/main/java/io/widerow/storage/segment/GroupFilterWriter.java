package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.TokenFilter;
import io.widerow.storage.disk.Throttle;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// Writer of a [GroupFilter]: it collects the tokens of a group of blocks. Every block gets as many
/// lines as the one with the most tokens, so a group takes blocks with similar numbers of tokens.
///
/// - Threads: one.
/// - Memory: the filter, and 8 bytes a token of the group, which has at most [#TOKENS_MAX] tokens
///   and those of one more block.
final class GroupFilterWriter {
  /// A column of fewer tokens gets no filter, because its dictionary is as small.
  private static final int TOKENS_MIN = 64;

  private static final int TOKENS_MAX = 1 << 20;

  /// At most one part in this many of the filled space may be padding.
  private static final int PADDING_SHARE = 4;

  private static final int BREATH_TOKENS = 1 << 11;
  private static final long[] NONE = new long[0];

  private final int bitsPerToken;
  private final int hashes;
  private final Throttle throttle;
  private final Map<AttributeName, Column> columns = new TreeMap<>();
  private int blocks;
  private long tokens;
  private long room; // most tokens of a block, summed over the columns
  private byte[] lines = new byte[0];

  /// Tokens of one column.
  private static final class Column {
    final long[][] ofBlocks = new long[SegmentGroups.BLOCKS_MAX][];
    int most;

    Column() {
      Arrays.fill(ofBlocks, NONE);
    }
  }

  GroupFilterWriter(int bitsPerToken, Throttle throttle) {
    this.bitsPerToken = bitsPerToken;
    this.hashes = Math.clamp(bitsPerToken * 6L / 10, 1, TokenFilter.HASHES_MAX);
    this.throttle = throttle;
  }

  /// Number of blocks in the group so far.
  int blocks() {
    return blocks;
  }

  /// True when a block fits the group.
  ///
  /// @param more the block's tokens, by column
  boolean takes(Map<AttributeName, long[]> more) {
    long moreTokens = 0;
    long moreRoom = room;
    for (var column : more.entrySet()) {
      int count = column.getValue().length;
      Column known = columns.get(column.getKey());
      moreTokens += count;
      moreRoom += Math.max(0, count - (known == null ? 0 : known.most));
    }
    long filled = tokens + moreTokens;
    long needed = moreRoom * (blocks + 1);
    return blocks == 0
        || (blocks < SegmentGroups.BLOCKS_MAX
            && filled <= TOKENS_MAX
            && needed - filled <= filled / PADDING_SHARE + (long) TOKENS_MIN * blocks);
  }

  /// Adds a block.
  void add(Map<AttributeName, long[]> more) {
    more.forEach((name, hashesOfBlock) -> {
      Column column = columns.computeIfAbsent(name, _ -> new Column());
      column.ofBlocks[blocks] = hashesOfBlock;
      room += Math.max(0, hashesOfBlock.length - column.most);
      column.most = Math.max(column.most, hashesOfBlock.length);
      tokens += hashesOfBlock.length;
    });
    blocks++;
  }

  /// Writes the group's filter, if it has one, and starts the next group.
  ///
  /// @param base file offset of the first byte of `out`
  /// @return bytes of the directory, including the checksum; 0 when there is no filter
  int finish(ByteSink out, SegmentChecksum checksum, long base) {
    columns.values().removeIf(column -> column.most < TOKENS_MIN);
    int start = out.length();
    int directoryBytes = 0;
    if (!columns.isEmpty()) {
      putDirectory(out);
      checksum.seal(out, start, base + start);
      directoryBytes = out.length() - start;
      columns.values().forEach(column -> putPages(column, out, checksum, base));
    }
    columns.clear();
    blocks = 0;
    tokens = 0;
    room = 0;
    return directoryBytes;
  }

  private void putDirectory(ByteSink out) {
    out.putByte(0);
    out.putByte(hashes);
    out.putVarint(blocks);
    out.putVarint(GroupFilter.pageLines(blocks));
    out.putVarint(columns.size());
    columns.forEach((name, column) -> {
      out.putByte(name.length());
      name.copyTo(out.reserve(name.length()), out.length());
      out.advance(name.length());
      out.putVarint(linesOf(column));
    });
  }

  private int linesOf(Column column) {
    long bits = (long) column.most * bitsPerToken;
    return Math.clamp(bits / (TokenFilter.LINE_BYTES * 8L) + 1, 1, GroupFilter.LINES_MAX);
  }

  private void putPages(Column column, ByteSink out, SegmentChecksum checksum, long base) {
    int count = linesOf(column);
    int lineBytes = TokenFilter.LINE_BYTES * blocks; // of all blocks
    int bytes = count * lineBytes;
    if (lines.length < bytes) {
      lines = new byte[bytes];
    } else {
      Arrays.fill(lines, 0, bytes, (byte) 0);
    }
    for (int block = 0; block < blocks; block++) {
      fill(column.ofBlocks[block], count, lineBytes, block * TokenFilter.LINE_BYTES);
    }
    int pageBytes = GroupFilter.pageLines(blocks) * lineBytes;
    for (int at = 0; at < bytes; at += pageBytes) {
      int start = out.length();
      out.put(lines, at, Math.min(pageBytes, bytes - at));
      checksum.seal(out, start, base + start);
    }
  }

  private void fill(long[] hashesOfBlock, int count, int lineBytes, int offset) {
    for (int i = 0; i < hashesOfBlock.length; i++) {
      if (i % BREATH_TOKENS == 0) {
        throttle.breathe();
      }
      long hash = hashesOfBlock[i];
      TokenFilter.add(lines, TokenFilter.line(hash, count) * lineBytes + offset, hashes, hash);
    }
  }
}
