package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.TokenFilter;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentFormat;
import io.widerow.storage.segment.SegmentGroups;
import io.widerow.storage.segment.SegmentIndex;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/// Forger of segments: it sets valid checksums, whatever the content, so that the decoders see
/// bytes that no writer wrote.
final class SegmentForger {
  private static final Path FILE = Path.of("forged.seg");

  private final byte[] file;
  private final SegmentChecksum checksum;

  private SegmentForger(byte[] file, UUID store, long segmentId) {
    this.file = file;
    this.checksum = new SegmentChecksum(store, segmentId);
  }

  /// @param file changed in place and returned
  static byte[] sign(byte[] file, UUID store, long segmentId) {
    if (file.length >= SegmentFormat.HEADER_BYTES + SegmentFormat.FOOTER_BYTES) {
      new SegmentForger(file, store, segmentId).sign();
    }
    return file;
  }

  private void sign() {
    int footerAt = file.length - SegmentFormat.FOOTER_BYTES;
    ByteSink.LONG.set(file, 0, SegmentFormat.MAGIC);
    ByteSink.LONG.set(file, footerAt + SegmentFormat.footerOffset("magic"), SegmentFormat.MAGIC);
    long indexAt = (long) ByteSink.LONG.get(file, footerAt);
    if (indexAt >= SegmentFormat.HEADER_BYTES && indexAt <= footerAt) {
      int indexBytes = footerAt - (int) indexAt;
      ByteSink.INT.set(file, footerAt + SegmentFormat.footerOffset("indexBytes"), indexBytes);
      int crc = checksum.of(file, (int) indexAt, indexBytes, indexAt);
      ByteSink.INT.set(file, footerAt + SegmentFormat.footerOffset("indexCrc"), crc);
      signBlocks((int) indexAt, footerAt);
    }
    put(0, SegmentFormat.headerOffset("crc32c"));
    put(footerAt, SegmentFormat.footerOffset("crc32c"));
  }

  private void put(int at, int bytes) {
    if (at >= 0 && bytes >= 0 && (long) at + bytes + SegmentFormat.CRC_BYTES <= file.length) {
      ByteSink.INT.set(file, at + bytes, checksum.of(file, at, bytes, at));
    }
  }

  private void signBlocks(int indexAt, int footerAt) {
    byte[] copy = Arrays.copyOf(file, file.length + ByteSource.SLACK);
    ByteSource in = new ByteSource(FILE).over(copy, indexAt, footerAt, indexAt);
    try {
      int partitions =
          (int) ByteSink.INT.get(file, footerAt + SegmentFormat.footerOffset("partitions"));
      int blocks = 0;
      for (int i = 0; i < partitions; i++) {
        SegmentIndex index = SegmentIndex.read(in, blocks, indexAt);
        blocks += index.blocks;
        for (int block = 0; block < index.blocks; block++) {
          signBlock(index, block);
        }
      }
      if (in.left() > 0) {
        signFilters(SegmentGroups.read(in, blocks, indexAt));
      }
    } catch (StorageException.Corrupt noIndex) {
      StoreFuzz.requireTold(noIndex);
    }
  }

  private void signFilters(SegmentGroups groups) {
    for (int group = 0; group < groups.groups; group++) {
      if (groups.hasFilter(group)) {
        signFilter((int) groups.offsets[group], groups, group);
      }
    }
  }

  /// Signs the directory's pages, as far as they fit.
  private void signFilter(int at, SegmentGroups groups, int group) {
    int bytes = groups.directoryBytes[group] - SegmentFormat.CRC_BYTES;
    put(at, bytes);
    byte[] copy = Arrays.copyOfRange(file, at, at + bytes + ByteSource.SLACK);
    ByteSource in = new ByteSource(FILE).over(copy, 0, bytes, at);
    in.skip(2, "mark and hashes");
    int blocks = in.readCount(1, SegmentGroups.BLOCKS_MAX, "blocks");
    int pageLines = in.readCount(1, SegmentGroups.BLOCKS_MAX, "lines of a page");
    int columns = in.readCount(1, bytes, "columns");
    int page = at + bytes + SegmentFormat.CRC_BYTES;
    for (int i = 0; i < columns; i++) {
      in.skip(in.readByte(), "name");
      int lines = in.readCount(1, GroupFilter.LINES_MAX, "lines");
      for (int line = 0; line < lines && page < file.length; line += pageLines) {
        int pageBytes = Math.min(pageLines, lines - line) * blocks * TokenFilter.LINE_BYTES;
        put(page, pageBytes);
        page += pageBytes + SegmentFormat.CRC_BYTES;
      }
    }
  }

  private void signBlock(SegmentIndex index, int block) {
    int at = (int) index.offset(block);
    int bytes = index.directoryBytes(block) - SegmentFormat.CRC_BYTES;
    put(at, bytes);
    if (bytes < 1) {
      return;
    }
    byte[] copy = Arrays.copyOfRange(file, at, at + bytes + ByteSource.SLACK);
    BlockDirectory directory = new BlockDirectory();
    try {
      directory.read(
          new ByteSource(FILE).over(copy, 0, bytes, at),
          index.events(block),
          (long) at + index.directoryBytes(block),
          (long) at + index.blockBytes(block));
    } catch (StorageException.Corrupt noDirectory) {
      StoreFuzz.requireTold(noDirectory);
      return;
    }
    put((int) directory.idsOffset, directory.idsBytes);
    for (int i = 0; i < directory.columns; i++) {
      put((int) directory.chunkOffsets[i], directory.chunkBytes[i]);
    }
  }
}
