package io.widerow.storage.journal;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.UUID;

/// Encoder of one lane's journal frames. Add the notes, then [#encode] their group.
///
/// - Threads: one at a time.
/// - Memory: owns two buffers that grow to the largest group. A frame is valid until the next
///   [#encode].
public final class FrameEncoder implements AutoCloseable {
  private static final int LEVEL = 1;
  private static final int COMPRESSED_LEAST = 1 << 10; // less gains no page and costs microseconds

  private final int lane;
  private final boolean compress;
  private final JournalFrame.Checksum checksum;
  private final JournalFrame.Group group = new JournalFrame.Group();
  private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(LEVEL);
  private final GrowingMemory frame = new GrowingMemory();
  private final GrowingMemory notes = new GrowingMemory();
  private int noteBytes;

  public FrameEncoder(UUID store, int lane, boolean compress) {
    if (lane < 0 || lane >= JournalFrame.LANE_LIMIT) {
      throw new IllegalArgumentException("lane " + lane);
    }
    this.lane = lane;
    this.compress = compress;
    this.checksum = new JournalFrame.Checksum(store);
  }

  /// Adds a note to the next group.
  public void addNote(MemorySegment note) {
    int bytes = Math.toIntExact(note.byteSize());
    if (bytes > JournalFrame.NOTE_BYTES_MAX
        || group.notes == JournalFrame.NOTES_MAX
        || noteBytes + Short.BYTES + bytes > JournalFrame.NOTES_BYTES_MAX) {
      throw new IllegalArgumentException(
          "note %d of %d bytes after %d bytes of notes".formatted(group.notes, bytes, noteBytes));
    }
    MemorySegment memory = notes.atLeast((long) noteBytes + Short.BYTES + bytes, noteBytes);
    JournalFrame.setNoteLength(memory, noteBytes, bytes);
    MemorySegment.copy(note, 0, memory, (long) noteBytes + Short.BYTES, bytes);
    noteBytes += Short.BYTES + bytes;
    group.notes++;
  }

  /// Encodes a group and clears the notes.
  ///
  /// @param durableLsn the highest LSN known to be on disk now
  /// @param counterLimit above the arrival counter of every event up to this group
  /// @param clockNanos last time at which the clock was sane, at or after each arrival time that a
  ///   sane clock gave
  /// @param events records of `EventLayout`, at most [JournalFrame#RAW_BYTES_MAX] bytes, native
  /// @param count number of events
  public MemorySegment encode(
      long lsn,
      long durableLsn,
      long counterLimit,
      long clockNanos,
      MemorySegment events,
      int count,
      int flags) {
    int raw = Math.toIntExact(events.byteSize());
    if (raw > JournalFrame.RAW_BYTES_MAX) {
      throw new IllegalArgumentException("group of " + raw + " bytes");
    }
    assert durableLsn < lsn : durableLsn + " durable before " + lsn;
    group.lsn = lsn;
    group.durableLsn = durableLsn;
    group.counterLimit = counterLimit;
    group.clockNanos = clockNanos;
    group.events = count;
    group.flags = flags;
    int body = JournalFrame.HEADER_BYTES + noteBytes;
    long bound = body + Math.max(raw, Zstd.compressBound(raw));
    MemorySegment out = frame.atLeast(bound, 0);
    MemorySegment.copy(
        notes.atLeast(noteBytes, noteBytes), 0, out, JournalFrame.HEADER_BYTES, noteBytes);
    int stored = compress && raw >= COMPRESSED_LEAST ? compress(events, out, body) : raw;
    int codec = stored < raw ? JournalFrame.CODEC_ZSTD : JournalFrame.CODEC_NONE;
    if (codec == JournalFrame.CODEC_NONE) {
      stored = raw;
      MemorySegment.copy(events, 0, out, body, raw);
    }
    JournalFrame.write(out, group, lane, codec, noteBytes, raw, stored);
    JournalFrame.setChecksums(out, checksum, lane);
    group.notes = 0;
    noteBytes = 0;
    return out.asSlice(0, (long) body + stored);
  }

  private int compress(MemorySegment events, MemorySegment out, int offset) {
    return zstd.compressDirectByteBuffer(
        out.asByteBuffer(),
        offset,
        Math.toIntExact(out.byteSize() - offset),
        events.asByteBuffer(),
        0,
        Math.toIntExact(events.byteSize()));
  }

  @Override
  public void close() {
    zstd.close();
    frame.close();
    notes.close();
  }

  /// Growable native buffer.
  ///
  /// - Memory: owns the buffer until [#close].
  static final class GrowingMemory implements AutoCloseable {
    private static final long START_BYTES = 4 << 10;

    private Arena arena = Arena.ofShared();
    private MemorySegment memory = arena.allocate(START_BYTES, Long.BYTES);

    /// Returns at least `bytes` of memory and preserves the first `kept` bytes.
    MemorySegment atLeast(long bytes, long kept) {
      if (bytes > memory.byteSize()) {
        Arena grown = Arena.ofShared();
        MemorySegment larger = grown.allocate(Math.max(bytes, 2 * memory.byteSize()), Long.BYTES);
        MemorySegment.copy(memory, 0, larger, 0, kept);
        arena.close();
        arena = grown;
        memory = larger;
      }
      return memory;
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
