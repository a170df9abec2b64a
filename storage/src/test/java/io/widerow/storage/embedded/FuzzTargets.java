package io.widerow.storage.embedded;

import io.widerow.fuzz.FuzzReader;
import io.widerow.fuzz.FuzzTarget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Fuzz targets for every reader of the store's files. Each input gets valid checksums, as a forger
/// would give it, so that its bytes reach the decoders. The result must be an event or a
/// [StorageException].
@SuppressWarnings("ImmutableEnumChecker") // method references
public enum FuzzTargets implements FuzzTarget {
  JOURNAL_FRAME(JournalFuzz::frames, JournalFuzz::readFrame, 64L << 20),
  JOURNAL_FILE(JournalFuzz::files, JournalFuzz::readFile, 64L << 20),
  RECOVERY(StoreFuzz::journals, StoreFuzz::recover, 256L << 20),
  MANIFEST(StoreFuzz::manifests, StoreFuzz::readManifest, 256L << 20),
  FORMAT_FILE(StoreFuzz::formats, StoreFuzz::readFormat, 16L << 20),
  NOTES(StoreFuzz::notes, StoreFuzz::readNotes, 64L << 20),
  WITNESS(StoreFuzz::witnesses, StoreFuzz::readWitness, 16L << 20),
  SEGMENT(SegmentFuzz::segments, SegmentFuzz::readSegment, 512L << 20),
  SALVAGE(SegmentFuzz::segments, SegmentFuzz::salvage, 512L << 20),
  COLUMN(SegmentFuzz::columns, SegmentFuzz::readColumn, 512L << 20),
  TEXTS(SegmentFuzz::texts, SegmentFuzz::writeAndReadTexts, 256L << 20),
  NUMBERS(SegmentFuzz::numbers, SegmentFuzz::writeAndReadNumbers, 64L << 20);

  private final FuzzReader reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader, long heapBytesMax) {
    this.reader = new FuzzReader(seeds, reader, heapBytesMax);
  }

  @Override
  public FuzzReader reader() {
    return reader;
  }
}
