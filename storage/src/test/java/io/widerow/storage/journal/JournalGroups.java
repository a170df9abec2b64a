package io.widerow.storage.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/// Groups of events that tests of the journal write, and how they come back.
final class JournalGroups {
  static final UUID STORE = new UUID(7, 11);
  private static final int BODY_BYTES = 100;

  private JournalGroups() {}

  /// @param fill fills the body of each event
  static EventBatch batch(int events, Consumer<byte[]> fill) {
    EventBatch batch = new EventBatch(1 << 22, 1 << 22);
    byte[] type = "app".getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[BODY_BYTES];
    for (int event = 0; event < events; event++) {
      fill.accept(body);
      batch.begin(type, 0, type.length, event);
      batch.putBytes(type, 0, type.length, body, 0, body.length);
      batch.end();
    }
    return batch;
  }

  /// Appends a group and forces it.
  static void append(Journal journal, FrameEncoder encoder, EventBatch batch, long lsn) {
    journal.append(
        lsn,
        encoder.encode(
            lsn, lsn - 1, 0, 0, batch.memory().asSlice(0, batch.bytes()), batch.count(), 0));
    journal.force();
  }

  /// LSNs of the frames that a replay finds, which are all valid.
  static List<Long> replay(Journal.Factory factory) {
    List<Long> lsns = new ArrayList<>();
    try (FrameDecoder decoder = new FrameDecoder(STORE)) {
      factory.replay((lane, file, sequence, frame) -> {
        assertEquals(FrameDecoder.Verdict.VALID, decoder.decode(lane, frame));
        lsns.add(JournalFrame.lsn(frame));
      });
    }
    return lsns;
  }
}
