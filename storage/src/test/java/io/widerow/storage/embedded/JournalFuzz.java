package io.widerow.storage.embedded;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.FrameScanner;
import io.widerow.storage.journal.JournalFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Fuzz targets of the journal: a frame, and a file of frames.
final class JournalFuzz {
  static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("fuzz.jnl");
  private static final int LANE = 0;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private JournalFuzz() {}

  static List<byte[]> frames() {
    List<byte[]> frames = new ArrayList<>();
    for (int events : new int[] {0, 1, 9}) {
      for (int notes : new int[] {0, 2}) {
        frames.add(frame(1, events, notes, false));
        frames.add(frame(1, events, notes, true));
      }
    }
    return frames;
  }

  static List<byte[]> files() {
    byte[] first = frame(1, 3, 1, false);
    byte[] second = frame(2, 20, 0, true);
    int at = (first.length + FrameScanner.STEP - 1) & -FrameScanner.STEP;
    byte[] file = Arrays.copyOf(first, at + second.length + 256);
    System.arraycopy(second, 0, file, at, second.length);
    return List.of(file, first);
  }

  private static byte[] frame(long lsn, int events, int notes, boolean compress) {
    try (Arena arena = Arena.ofConfined();
        FrameEncoder encoder = new FrameEncoder(STORE, LANE, compress);
        EventBatch batch = new EventBatch(1 << 12, 1 << 20)) {
      for (int i = 0; i < events; i++) {
        putEvent(batch, i);
      }
      for (int i = 0; i < notes; i++) {
        encoder.addNote(arena.allocate(5L + i).fill((byte) i));
      }
      int flags = JournalFrame.STARTS_GROUP | JournalFrame.ENDS_GROUP;
      return encoder
          .encode(lsn, lsn - 1, 5_000, 1_700_000_000_000_000_000L, records(batch), events, flags)
          .toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static MemorySegment records(EventBatch batch) {
    return batch.memory().asSlice(0, batch.bytes());
  }

  private static void putEvent(EventBatch batch, int i) {
    byte[] type = "cpu|load".getBytes(StandardCharsets.UTF_8);
    batch.begin(type, 0, type.length, 1_700_000_000_000_000_000L + i);
    byte[] text = ("GET /item/" + i).getBytes(StandardCharsets.UTF_8);
    batch.putString(ascii("body"), 0, 4, text, 0, text.length);
    batch.putLong(ascii("long"), 0, 4, i);
    batch.putDouble(ascii("rate"), 0, 4, i / 4.0);
    batch.putBoolean(ascii("sure"), 0, 4, i % 2 == 0);
    if (batch.end() != null) {
      throw new IllegalStateException("an event was refused");
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Sets magic, lane and the checksums to valid values, if there is room for a frame.
  static void sign(MemorySegment frame, UUID store, int lane) {
    if (frame.byteSize() < JournalFrame.HEADER_BYTES) {
      return;
    }
    frame.set(LONG, 0, JournalFrame.MAGIC);
    frame.set(SHORT, offsetOf("lane"), (short) lane);
    long bytes = JournalFrame.frameBytes(frame);
    if (JournalFrame.noteBytes(frame) >= 0
        && JournalFrame.storedBytes(frame) >= 0
        && bytes <= frame.byteSize()) {
      JournalFrame.setChecksums(frame, new JournalFrame.Checksum(store), lane);
    }
  }

  /// Sets a frame's lengths to match the bytes after its header, as if it were not compressed.
  private static void fit(MemorySegment frame) {
    long left = frame.byteSize() - JournalFrame.HEADER_BYTES;
    if (left < 0 || JournalFrame.noteBytes(frame) < 0 || JournalFrame.noteBytes(frame) > left) {
      return;
    }
    int raw = (int) (left - JournalFrame.noteBytes(frame)) & -EventLayout.ALIGNMENT;
    frame.set(BYTE, offsetOf("codec"), (byte) JournalFrame.CODEC_NONE);
    frame.set(SHORT, offsetOf("format"), (short) JournalFrame.FORMAT);
    frame.set(INT, offsetOf("rawBytes"), raw);
    frame.set(INT, offsetOf("storedBytes"), raw);
    int events = 0;
    long at = (long) JournalFrame.HEADER_BYTES + JournalFrame.noteBytes(frame);
    while (at + Integer.BYTES <= frame.byteSize()) {
      int length = frame.get(INT, at);
      if (length < EventLayout.HEADER_BYTES || length > frame.byteSize()) {
        break;
      }
      at += EventLayout.alignedLength(length);
      events++;
    }
    frame.set(INT, offsetOf("events"), events);
  }

  private static long offsetOf(String field) {
    return JournalFrame.HEADER.byteOffset(PathElement.groupElement(field));
  }

  /// Signs every frame of a file that has its magic.
  static byte[] signAll(byte[] file, UUID store, int lane) {
    MemorySegment all = MemorySegment.ofArray(file);
    long at = 0;
    while (at + JournalFrame.HEADER_BYTES <= file.length) {
      if (JournalFrame.magic(all, at) != JournalFrame.MAGIC) {
        at += FrameScanner.STEP;
        continue;
      }
      MemorySegment frame = all.asSlice(at);
      sign(frame, store, lane);
      long bytes = JournalFrame.frameBytes(frame);
      boolean whole = bytes >= JournalFrame.HEADER_BYTES && bytes <= frame.byteSize();
      at += whole ? (bytes + FrameScanner.STEP - 1) & -FrameScanner.STEP : FrameScanner.STEP;
    }
    return file;
  }

  static void readFrame(byte[] input) {
    try (Arena arena = Arena.ofConfined();
        FrameDecoder decoder = new FrameDecoder(STORE)) {
      MemorySegment frame = arena.allocate(input.length, Long.BYTES);
      frame.copyFrom(MemorySegment.ofArray(input));
      if (input.length > 0 && (input[0] & 1) == 0) { // this byte is the magic's in any case
        fit(frame);
      }
      sign(frame, STORE, LANE);
      decode(decoder, frame);
    }
  }

  static void readFile(byte[] input) {
    var disk = new MemoryDisk();
    disk.set(FILE, signAll(input, STORE, LANE));
    try (FrameScanner scanner = new FrameScanner(STORE);
        FrameDecoder decoder = new FrameDecoder(STORE);
        DiskFile file = disk.open(FILE)) {
      scanner.scan(LANE, 1, file, (_, _, _, frame) -> decode(decoder, frame));
    }
  }

  private static void decode(FrameDecoder decoder, MemorySegment frame) {
    if (decoder.decode(LANE, frame) != FrameDecoder.Verdict.VALID) {
      return;
    }
    FrameDecoder.forEachNote(frame, note -> note.toArray(ValueLayout.JAVA_BYTE));
    readRecords(decoder.events());
  }

  /// Reads events as an open row, a seal and a query do.
  private static void readRecords(MemorySegment records) {
    RecordView view = new RecordView();
    AttributeValue value = new AttributeValue();
    for (long at = 0; at < records.byteSize(); ) {
      view.show(records, at);
      long nanos = TimeUuid.tickNanos(view.idTime());
      String type = view.type();
      var key =
          new PartitionKey(
              PartitionKey.bucketOf(nanos, 60), 60, type, EventLayout.shard(records, at));
      if (!PartitionKey.of(key.toBytes()).equals(key) || view.id().toUuid().version() != 1) {
        throw new AssertionError("partition " + key);
      }
      view.forEach(
          value,
          (name, each) -> {
            if (each.kind().isText()) {
              each.toBytes();
            }
            if (!view.find(name, new AttributeValue())) {
              throw new AssertionError("attribute " + name + " is there and not found");
            }
          });
      at += EventLayout.alignedLength(view.length());
    }
  }
}
