package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator with a damaged store sees the damage, reads the rest, repairs the store, and
/// sees the losses; a store that must not be touched is refused. Method: the command lines on a
/// real store on disk, half sealed and half in the journal.
class RepairCommandTest {
  private static final long START = 1_763_666_100_000_000_000L; // 2025-11-20T19:15:00Z
  private static final long MINUTE = 60_000_000_000L;
  private static final int EVENTS = 40;

  @TempDir Path directory;
  private Path store = Path.of(".");

  @BeforeEach
  void fill() throws IOException {
    store = directory.resolve("store");
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      String type = i % 2 == 0 ? "even" : "odd";
      events.add(new Stored(type, START + i % 20 * MINUTE, Map.of("n", (long) i)));
    }
    StoreDirectory.write(store, events);
  }

  private Ran verify(String... more) {
    return CommandDaemon.run(Map.of(), "check verify", with(more));
  }

  private Ran repair(String... more) {
    return CommandDaemon.run(Map.of(), "check repair", with(more));
  }

  private Ran query(String... more) {
    return CommandDaemon.run(Map.of(), "query", with(more));
  }

  private String[] with(String... more) {
    return Stream.concat(Stream.of("--data", store.toString()), Stream.of(more))
        .toArray(String[]::new);
  }

  private Path only(String below, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(store.resolve(below))) {
      return files
          .filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  @Test
  void storeWithoutDamageIsReportedSo() {
    Ran run = verify();
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("checked 1 segments"), run.out());
    assertTrue(run.out().contains("no damage"), run.out());
    assertEquals("nothing to repair\n", repair().out());
    Ran json = verify("--output", "json");
    assertTrue(json.out().startsWith("{\"segments\":1,"), json.out());
  }

  @Test
  void damagedBlockIsNamedSkippedAndRepaired() throws IOException {
    Path file = only("segments", ".seg");
    flip(file, 70);
    byte[] damaged = Files.readAllBytes(file);

    Ran found = verify();
    assertEquals(1, found.code(), found.out());
    assertTrue(found.out().contains("damaged  block  2025-11-20T19|even|0"), found.out());
    assertTrue(found.out().contains(file.toString()), found.out());
    Ran json = verify("--output", "json");
    assertTrue(json.out().contains("\"what\":\"block\",\"partition\":\"2025-11-20T19|even|0\""));
    assertTrue(json.out().contains("\"offset\":64,\"events\":10"), json.out());

    assertEquals(0, query("odd").code());
    Ran touched = query("even");
    assertEquals(65, touched.code());
    assertTrue(touched.err().contains("2025-11-20T19|even|0"), touched.err());

    Ran repaired = repair();
    assertEquals(0, repaired.code(), repaired.out());
    assertTrue(repaired.out().contains("lost   block  2025-11-20T19|even|0"), repaired.out());
    assertTrue(repaired.out().contains("without 10 events"), repaired.out());
    Path kept = store.resolve("quarantine").resolve(file.getFileName());
    assertEquals(-1, Arrays.mismatch(damaged, Files.readAllBytes(kept)));
    assertEquals(0, verify().code());
    assertEquals(EVENTS - 10, query().out().lines().count());
  }

  @Test
  void missingSegmentIsNamedWithItsContent() throws IOException {
    Path file = only("segments", ".seg");
    Files.delete(file);
    Ran found = verify();
    assertEquals(1, found.code());
    assertTrue(found.out().contains("segment  2025-11-20T19|odd|0"), found.out());
    assertTrue(found.out().contains("2025-11-20T19:15:00.000000000Z"), found.out());
    assertEquals(65, query().code());
    Ran repaired = repair("--output", "json");
    assertEquals(0, repaired.code());
    assertTrue(repaired.out().contains("\"lostEventsKnown\":20,\"left\":0}"), repaired.out());
    assertEquals(0, query().code());
  }

  @Test
  void lostJournalGroupsNeedAcceptLoss() throws IOException {
    Path live = directory.resolve("live");
    StoreConfig config = StoreConfig.at(live).withJournal(1 << 20, 4 << 20);
    store = directory.resolve("lost");
    try (EmbeddedStore open = EmbeddedStore.open(config, Runnable::run)) {
      for (int group = 0; group < 3; group++) {
        StoreDirectory.append(
            open, List.of(new Stored("g" + group, START + group * MINUTE, Map.of("n", 1L))));
        open.lane(0).commit(Durability.DISK);
      }
      StoreDirectory.copy(live, store);
    }
    Path file = only("journal", ".cq4");
    byte[] magic = "WIDEROWJ".getBytes(StandardCharsets.US_ASCII);
    String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
    int first = bytes.indexOf(new String(magic, StandardCharsets.ISO_8859_1));
    flip(file, bytes.indexOf("WIDEROWJ", first + 1) + 80);

    Ran refused = repair();
    assertEquals(1, refused.code());
    assertTrue(refused.out().contains("LSN 2 to 2, are lost"), refused.out());
    assertTrue(refused.out().contains("--accept-loss"), refused.out());
    assertFalse(Files.exists(store.resolve("quarantine")));

    Ran shown = query("--fields", "n");
    assertEquals(65, shown.code());
    assertEquals(2, shown.out().lines().count(), shown.out());
    assertTrue(shown.err().contains("shown without: " + file), shown.err());
    assertTrue(shown.err().contains("events: 1; partitions: unknown"), shown.err());
    assertTrue(
        shown.err().contains("times from 2025-11-20T19:15:00Z to 2025-11-20T19:17:00Z"),
        shown.err());

    Ran accepted = repair("--accept-loss");
    assertEquals(0, accepted.code(), accepted.out());
    assertTrue(accepted.out().contains("lost   journal  unknown"), accepted.out());
    assertTrue(
        Files.exists(
            store
                .resolve("quarantine")
                .resolve(Objects.requireNonNull(file.getParent()).getFileName())));
    Ran after = query();
    assertEquals(0, after.code());
    assertEquals(2, after.out().lines().count(), after.out());
    assertEquals(0, verify().code());
  }

  @Test
  void storeInUseOrNoStoreIsRefused() throws IOException {
    try (EmbeddedStore used = EmbeddedStore.open(StoreConfig.at(store), Runnable::run)) {
      assertEquals(1, used.lanes());
      assertEquals(75, verify().code());
      Ran locked = repair();
      assertEquals(75, locked.code());
      assertTrue(locked.err().contains("process"), locked.err());
    }
    Path format = store.resolve("FORMAT");
    Files.writeString(format, Files.readString(format).replace("store 1", "store 2"));
    assertEquals(66, verify().code());
    assertEquals(66, repair("--accept-loss").code());
    store = directory.resolve("elsewhere");
    Files.createDirectory(store);
    Ran none = verify();
    assertEquals(66, none.code());
    assertTrue(none.err().contains("not a Widerow store"), none.err());
    assertEquals(66, repair().code());
    assertEquals(64, CommandDaemon.run(Map.of(), "check verify").code());
  }
}
