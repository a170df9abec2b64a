package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what was appended comes back in order, across files, and trimming keeps what is needed.
/// Method: the real queue on the real disk, read by the scanner.
class ChronicleJournalTest {
  private static final UUID STORE = new UUID(7, 11);
  private static final long FILE_BYTES = 1 << 20;
  private static final int GROUPS = 40;

  @TempDir Path directory;

  private static EventBatch batch(int events) {
    EventBatch batch = new EventBatch(1 << 20, 1 << 20);
    byte[] type = "app".getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[100];
    for (int event = 0; event < events; event++) {
      batch.begin(type, 0, type.length, event);
      batch.putBytes(type, 0, type.length, body, 0, body.length);
      batch.end();
    }
    return batch;
  }

  private List<Long> replay(ChronicleJournalFactory factory) {
    List<Long> lsns = new ArrayList<>();
    try (FrameDecoder decoder = new FrameDecoder(STORE)) {
      factory.replay((lane, file, sequence, frame) -> {
        assertEquals(FrameDecoder.Verdict.VALID, decoder.decode(lane, frame));
        lsns.add(JournalFrame.lsn(frame));
      });
    }
    return lsns;
  }

  @Test
  void framesComeBackInOrderAndTrimmedFilesGo() throws IOException {
    Path journalDirectory = directory.resolve("journal");
    var factory = new ChronicleJournalFactory(new RealDisk(), journalDirectory, STORE, FILE_BYTES);
    try (EventBatch batch = batch(1_000);
        FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory.create(3, 1)) {
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        journal.append(
            lsn,
            encoder.encode(
                lsn, lsn - 1, 0, batch.memory().asSlice(0, batch.bytes()), batch.count(), 0));
        journal.force();
      }
      try (Stream<Path> files = Files.walk(journalDirectory)) {
        List<Path> data = files.filter(file -> file.toString().endsWith(".cq4")).toList();
        assertTrue(data.size() > 4, data.toString());
        for (Path file : data) {
          assertEquals(FILE_BYTES + FILE_BYTES / 4, Files.size(file), file.toString());
          assertEquals(ChronicleFile.DATA_FILE, String.valueOf(file.getFileName()));
        }
      }
      assertEquals(GROUPS, replay(factory).size());
      long before = journal.bytes();
      journal.trim(GROUPS / 2);
      assertTrue(journal.bytes() < before, journal.bytes() + " of " + before);
      List<Long> left = replay(factory);
      assertEquals(GROUPS, left.getLast());
      assertTrue(left.getFirst() <= GROUPS / 2 + 1, left.toString());
    }
    factory.deleteReplayed();
    assertEquals(List.of(), replay(factory));
  }
}
