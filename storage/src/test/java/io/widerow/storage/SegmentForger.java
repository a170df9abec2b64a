package io.widerow.storage;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/// Puts the checksums of a segment right, whatever is in it, so that its decoders see bytes that
/// nobody wrote.
final class SegmentForger {
  private static final Path FILE = Path.of("forged.seg");

  private final byte[] file;
  private final SegmentChecksum checksum;

  private SegmentForger(byte[] file, UUID store, long segmentId) {
    this.file = file;
    this.checksum = new SegmentChecksum(store, segmentId);
  }

  /// @param file changed and given back
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
      while (in.left() > 0) {
        SegmentIndex index = SegmentIndex.read(in, indexAt);
        for (int block = 0; block < index.blocks; block++) {
          signBlock(index, block);
        }
      }
    } catch (StorageException.Corrupt noIndex) {
      StoreFuzz.requireTold(noIndex);
    }
  }

  private void signBlock(SegmentIndex index, int block) {
    int at = (int) index.offsets[block];
    int bytes = index.directoryBytes[block] - SegmentFormat.CRC_BYTES;
    put(at, bytes);
    if (bytes < 1) {
      return;
    }
    byte[] copy = Arrays.copyOfRange(file, at, at + bytes + ByteSource.SLACK);
    BlockDirectory directory = new BlockDirectory();
    try {
      directory.read(
          new ByteSource(FILE).over(copy, 0, bytes, at),
          index.events[block],
          (long) at + index.directoryBytes[block],
          (long) at + index.blockBytes[block]);
    } catch (StorageException.Corrupt noDirectory) {
      StoreFuzz.requireTold(noDirectory);
      return;
    }
    put((int) directory.idsOffset, directory.idsBytes);
    for (int i = 0; i < directory.columns; i++) {
      put((int) directory.chunkOffsets[i], directory.chunkBytes[i]);
      if (directory.filterBytes[i] > 0) {
        put((int) directory.filterOffsets[i], directory.filterBytes[i]);
      }
    }
  }
}
