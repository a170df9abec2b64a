package io.widerow.storage.journal;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordCheck;
import java.lang.foreign.MemorySegment;
import java.util.UUID;
import java.util.function.Consumer;

/// Verifies and decodes journal frames. It trusts nothing in a frame before the checksum matches,
/// and no length before a bounds check, since a store's files may come from anywhere.
///
/// - Threads: one at a time.
/// - Memory: owns the buffer of the decoded events, valid until the next [#decode].
public final class FrameDecoder implements AutoCloseable {
  /// Result of checking a frame.
  public enum Verdict {
    VALID("valid"),
    SHORT("shorter than its header says"),
    NO_FRAME("not a frame"),
    HEADER_DAMAGED("header checksum differs"),
    FORMAT_UNKNOWN("unknown format or codec"),
    BODY_DAMAGED("body checksum differs"),
    CONTENT_INVALID("content contradicts its header");

    public final String sentence;

    Verdict(String sentence) {
      this.sentence = sentence;
    }

    /// True when the header is trustworthy, whatever the state of the body.
    public boolean headerIsValid() {
      return this == VALID || this == BODY_DAMAGED || this == CONTENT_INVALID || this == SHORT;
    }
  }

  private final JournalFrame.Checksum checksum;
  private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
  private final FrameEncoder.GrowingMemory raw = new FrameEncoder.GrowingMemory();
  private final RecordCheck records = new RecordCheck();
  private MemorySegment events = MemorySegment.NULL;

  public FrameDecoder(UUID store) {
    this.checksum = new JournalFrame.Checksum(store);
  }

  /// Verifies checksums and lengths only. [Verdict#SHORT] means that the header is intact and the
  /// end is missing.
  public Verdict check(int lane, MemorySegment frame) {
    if (frame.byteSize() < JournalFrame.HEADER_BYTES
        || JournalFrame.magic(frame, 0) != JournalFrame.MAGIC) {
      return Verdict.NO_FRAME;
    }
    if (JournalFrame.headerChecksum(frame, checksum, lane) != JournalFrame.headerCrc(frame)
        || JournalFrame.lane(frame) != lane) {
      return Verdict.HEADER_DAMAGED;
    }
    if (JournalFrame.format(frame) != JournalFrame.FORMAT
        || JournalFrame.codec(frame) > JournalFrame.CODEC_ZSTD
        || outside(JournalFrame.noteBytes(frame), JournalFrame.NOTES_BYTES_MAX)
        || outside(JournalFrame.rawBytes(frame), JournalFrame.RAW_BYTES_MAX)
        || outside(JournalFrame.storedBytes(frame), JournalFrame.rawBytes(frame))) {
      return Verdict.FORMAT_UNKNOWN;
    }
    if (frame.byteSize() < JournalFrame.frameBytes(frame)) {
      return Verdict.SHORT;
    }
    return JournalFrame.bodyChecksum(frame, checksum, lane) == JournalFrame.bodyCrc(frame)
        ? Verdict.VALID
        : Verdict.BODY_DAMAGED;
  }

  /// Verifies a frame and decompresses it. Sets [#events] if it is valid.
  public Verdict decode(int lane, MemorySegment frame) {
    Verdict verdict = check(lane, frame);
    if (verdict != Verdict.VALID) {
      return verdict;
    }
    if (!notesFit(frame) || !expand(frame) || !contentFits(frame)) {
      return Verdict.CONTENT_INVALID;
    }
    return Verdict.VALID;
  }

  /// The events or mutations of the last decoded frame.
  public MemorySegment events() {
    return events;
  }

  /// Passes each note of a valid frame to the consumer.
  public static void forEachNote(MemorySegment frame, Consumer<MemorySegment> consumer) {
    long offset = JournalFrame.HEADER_BYTES;
    for (int note = 0; note < JournalFrame.notes(frame); note++) {
      int bytes = JournalFrame.noteLength(frame, offset);
      consumer.accept(frame.asSlice(offset + Short.BYTES, bytes));
      offset += Short.BYTES + bytes;
    }
  }

  private static boolean outside(int bytes, int bytesMax) {
    return bytes < 0 || bytes > bytesMax;
  }

  private static boolean notesFit(MemorySegment frame) {
    long offset = JournalFrame.HEADER_BYTES;
    long limit = offset + JournalFrame.noteBytes(frame);
    for (int note = 0; note < JournalFrame.notes(frame); note++) {
      if (offset + Short.BYTES > limit) {
        return false;
      }
      int bytes = JournalFrame.noteLength(frame, offset);
      offset += Short.BYTES + bytes;
      if (bytes > JournalFrame.NOTE_BYTES_MAX || offset > limit) {
        return false;
      }
    }
    return offset == limit;
  }

  private boolean expand(MemorySegment frame) {
    int rawBytes = JournalFrame.rawBytes(frame);
    int storedBytes = JournalFrame.storedBytes(frame);
    int body = JournalFrame.HEADER_BYTES + JournalFrame.noteBytes(frame);
    MemorySegment target = raw.atLeast(rawBytes, 0).asSlice(0, rawBytes);
    events = target;
    if (JournalFrame.codec(frame) == JournalFrame.CODEC_NONE) {
      if (storedBytes != rawBytes) {
        return false;
      }
      MemorySegment.copy(frame, body, target, 0, rawBytes);
      return true;
    }
    try {
      int expanded =
          zstd.decompressDirectByteBuffer(
              target.asByteBuffer(), 0, rawBytes, frame.asByteBuffer(), body, storedBytes);
      return !Zstd.isError(expanded) && expanded == rawBytes;
    } catch (ZstdException damaged) {
      return false;
    }
  }

  private boolean contentFits(MemorySegment frame) {
    int count = JournalFrame.events(frame);
    return (JournalFrame.flags(frame) & JournalFrame.MUTATIONS) == 0
        ? eventsFit(count)
        : MutationRecord.areRecords(events, count);
  }

  private boolean eventsFit(int count) {
    long offset = 0;
    int seen = 0;
    while (offset < events.byteSize()) {
      if (!records.isRecord(events, offset)) {
        return false;
      }
      offset += EventLayout.alignedLength(EventLayout.length(events, offset));
      seen++;
    }
    return offset == events.byteSize() && seen == count;
  }

  @Override
  public void close() {
    zstd.close();
    raw.close();
  }
}
