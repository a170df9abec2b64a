package io.widerow.storage.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: a frame with matching checksums and invalid events is reported as such and not replayed.
/// Method: encode frames from modified records.
class FrameContentTest {
  private static final byte[] NAME = {'n'};

  @Test
  void eventsThatAreNoneAreNotReplayed() {
    assertEquals(FrameDecoder.Verdict.VALID, verdict(0, 0));
    int type = EventLayout.HEADER_BYTES;
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(type, 0), "no type");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(type, 200), "a longer type");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(type + 1, 0xff), "no UTF-8");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(type + 2, 9), "no kind");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(7, 0x80), "no shard");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(14, 0), "before 1970");
    assertEquals(FrameDecoder.Verdict.CONTENT_INVALID, verdict(4, 2), "a missing attribute");
  }

  /// The verdict on a frame whose one event has a byte changed; with `at` 0, on an intact one.
  private static FrameDecoder.Verdict verdict(int at, int value) {
    UUID store = new UUID(1, 2);
    try (var batch = new EventBatch(1 << 10, 1 << 12);
        var encoder = new FrameEncoder(store, 0, false);
        var decoder = new FrameDecoder(store)) {
      batch.begin(NAME, 0, 1, 1_700_000_000_000_000_000L);
      batch.putLong(NAME, 0, 1, 7);
      if (batch.end() != null) {
        throw new IllegalStateException("the event was refused");
      }
      if (at > 0) {
        batch.memory().set(ValueLayout.JAVA_BYTE, at, (byte) value);
      }
      MemorySegment records = batch.memory().asSlice(0, batch.bytes());
      return decoder.decode(0, encoder.encode(1, 0, 0, 0, records, 1, JournalFrame.ENDS_GROUP));
    }
  }
}
