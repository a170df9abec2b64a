package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.manifest.VersionsFile;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.storage.segment.SegmentFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store records which version created it and which wrote it last; no fault of this record
/// keeps a store from opening; and each part of a store that a newer version wrote is refused with
/// both versions. Method: records of other versions, every damage and every crash of the file, and
/// all entrances of a store with one newer part each.
class StoreVersionsTest {
  private static final Path SIM = Path.of("/store");
  private static final String NOW = BuildVersion.value();

  @TempDir private Path directory;

  /// A whole record.
  static String text(String created, String written) {
    String lines = "created %s\nwritten %s\n".formatted(created, written);
    var crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return lines + "crc32c %08x\n".formatted(crc.getValue());
  }

  private static EmbeddedStore open(Path path) {
    return EmbeddedStore.open(KilledWriter.config(path), Runnable::run);
  }

  private static EmbeddedStore open(Disk disk) {
    StoreConfig config = KilledWriter.config(SIM);
    return new EmbeddedStore(
        new StoreOpener(config, disk, new TestClock(1_800_000_000_000_000_000L), Runnable::run)
            .open(_ -> new FileJournal.Factory(disk, config)));
  }

  private Path store() {
    Path path = directory.resolve("store");
    try (EmbeddedStore store = open(path);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      NumberedEvents.add(batch, 1);
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.DISK);
      store.sealAll();
    }
    return path;
  }

  @Test
  void eachOpeningForWritingRecordsItsVersion() throws IOException {
    Path path = store();
    assertEquals(new StoreVersions(NOW, NOW), StoreVerifier.versions(path));
    Path file = path.resolve(VersionsFile.NAME);
    Files.writeString(file, text("0.0.8", "0.0.9"));
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      assertEquals(new StoreVersions("0.0.8", "0.0.9"), store.versions());
      assertEquals(List.of(), store.recovery().remarks());
    }
    assertEquals(List.of(), StoreVerifier.verify(path).remarks());
    Path before = directory.resolve("before");
    StoreSnapshot.ofStopped(path, before);
    try (EmbeddedStore store = open(path)) {
      assertEquals(new StoreVersions("0.0.8", NOW), store.versions());
      String remark = store.recovery().remarks().getFirst();
      assertTrue(
          remark.contains("written by Widerow 0.0.9 until now, from now on by " + ""), remark);
      assertTrue(remark.endsWith(NOW), remark);
      StoreSnapshot.Report after = store.snapshot(directory.resolve("after"));
      assertEquals(store.versions(), StoreVerifier.versions(after.directory()));
    }
    try (EmbeddedStore store = open(path)) {
      assertEquals(List.of(), store.recovery().remarks());
    }
    assertEquals(text("0.0.8", NOW), Files.readString(file));
    assertEquals(new StoreVersions("0.0.8", "0.0.9"), StoreVerifier.versions(before));
  }

  /// A file of other bytes; none for null.
  private static List<byte[]> damaged() {
    String good = text("0.0.8", "0.0.9");
    List<byte[]> damaged = new ArrayList<>();
    for (int i = 0; i < good.length(); i++) {
      byte[] flipped = good.getBytes(StandardCharsets.US_ASCII);
      flipped[i] ^= 2;
      damaged.add(flipped);
      damaged.add(Arrays.copyOf(flipped, i));
      damaged.add(Arrays.copyOf(good.substring(0, i).getBytes(StandardCharsets.US_ASCII), 80));
    }
    damaged.add(new byte[1 << 20]);
    damaged.add((good + good).getBytes(StandardCharsets.US_ASCII));
    return damaged;
  }

  @Test
  void noDamageOfItKeepsAStoreFromOpening() {
    SimDisk good = new SimDisk(1);
    open(good).close();
    Path file = SIM.resolve(VersionsFile.NAME);
    for (byte[] bytes : damaged()) {
      SimDisk bad = good.restart();
      bad.replace(file, bytes);
      try (EmbeddedStore store = open(bad)) {
        assertEquals(new StoreVersions(StoreVersions.UNKNOWN, NOW), store.versions());
        assertTrue(store.recovery().remarks().getFirst().contains("VERSIONS: missing or damaged"));
        assertEquals(List.of(), store.recovery().damage());
      }
      try (EmbeddedStore store = open(bad)) {
        assertEquals(List.of(), store.recovery().remarks());
      }
    }
  }

  /// On a real disk it may also be something else than a file.
  @Test
  void noneOfItKeepsAStoreFromOpening() throws IOException {
    Path path = store();
    Path file = path.resolve(VersionsFile.NAME);
    Files.delete(file);
    assertEquals(1, StoreVerifier.verify(path).remarks().size());
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      assertEquals(StoreVersions.NONE, store.versions());
    }
    Files.createDirectories(file.resolve("deep"));
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
    try (EmbeddedStore store = open(path)) {
      assertEquals(StoreVersions.NONE, store.versions());
      assertTrue(store.recovery().remarks().getFirst().contains("not replaced"));
    }
  }

  @Test
  void aDiskThatRefusesItOpensTheStore() {
    SimDisk good = new SimDisk(1);
    open(good).close();
    good.replace(
        SIM.resolve(VersionsFile.NAME), text("0.0.8", "0.0.9").getBytes(StandardCharsets.UTF_8));
    Disk refusing =
        new DiskAround(good) {
          @Override
          public DiskFile create(Path file) {
            if (file.getFileName().toString().startsWith(VersionsFile.NAME)) {
              throw new StorageException.Failed(file, "create", new IOException("refused"));
            }
            return super.create(file);
          }
        };
    try (EmbeddedStore store = open(refusing)) {
      assertEquals(new StoreVersions("0.0.8", "0.0.9"), store.versions());
      assertTrue(store.recovery().remarks().getFirst().contains("not replaced"));
    }
  }

  /// Of an upgrade the old or the new record remains, of a creation none or a whole one.
  @Test
  void aCrashLeavesAWholeRecord() {
    SimDisk good = new SimDisk(7);
    open(good).close();
    byte[] earlier = text("0.0.8", "0.0.9").getBytes(StandardCharsets.UTF_8);
    good.replace(SIM.resolve(VersionsFile.NAME), SIM.resolve("new"), earlier);
    good.forceDirectory(SIM);
    SimDisk old = good.restart();
    for (SimDisk start : List.of(new SimDisk(3), old)) {
      SimDisk whole = start.restart();
      long before = whole.operations();
      open(whole).close();
      for (long at = before; at <= whole.operations(); at++) {
        SimDisk cut = start.restart();
        cut.cutPowerAt(at);
        try {
          open(cut).close();
        } catch (RuntimeException | Error off) {
          // the machine is off
        }
        for (boolean reorders : new boolean[] {false, true}) {
          SimDisk left = cut.crash(reorders);
          if (left.exists(SIM.resolve(StoreFormat.NAME))) {
            StoreVersions kept = VersionsFile.read(left, SIM);
            assertEquals(start == old ? "0.0.8" : NOW, kept.created(), "operation " + at);
          }
          try (EmbeddedStore store = open(left)) {
            assertEquals(NOW, store.versions().written());
          }
        }
      }
    }
  }

  /// A part of a store that only a newer version can have written.
  private interface Newer {
    void put(Path store, UUID id) throws IOException;
  }

  private static void sign(Path format, String from, String to) throws IOException {
    String text = Files.readString(format).replace(from, to);
    String lines = text.substring(0, text.lastIndexOf("crc32c "));
    var crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    Files.writeString(format, lines + "crc32c %08x\n".formatted(crc.getValue()));
  }

  private static void forge(Path store, UUID id, String field, int value) throws IOException {
    try (Stream<Path> segments = Files.list(store.resolve(Manifest.SEGMENTS))) {
      Path file = segments.findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      ByteSink.INT.set(bytes, SegmentFormat.headerOffset(field), value);
      long segment = Long.parseLong(file.getFileName().toString().replace(".seg", ""), 16);
      Files.write(file, SegmentForger.sign(bytes, id, segment));
    }
  }

  private static final Map<String, Newer> PARTS =
      new TreeMap<>(
          Map.of(
              "a format",
              (store, _) -> sign(store.resolve("FORMAT"), "widerow-store 1", "widerow-store 2"),
              "a feature",
              (store, _) ->
                  sign(
                      store.resolve("FORMAT"),
                      "incompatible 0000000000000000",
                      "incompatible 4000000000000000"),
              "the format of a segment",
              (store, id) -> forge(store, id, "version", 2),
              "a feature of a segment",
              (store, id) -> forge(store, id, "incompatible", 1 << 30),
              "a section of the manifest",
              (store, id) -> {
                Files.delete(store.resolve(Manifest.NAME));
                ManifestSections section = ManifestSections.of(0x8333, new byte[3]);
                Manifest.write(
                    new RealDisk(),
                    store,
                    id,
                    new ManifestEdit(9, 9, 9, List.of(), List.of(), Map.of(), 1, section));
              }));

  @Test
  void eachNewerPartIsRefusedWithBothVersions() throws IOException {
    for (Map.Entry<String, Newer> part : PARTS.entrySet()) {
      Path path = store();
      part.getValue().put(path, StoreFormat.read(new RealDisk(), path).storeId());
      Files.writeString(path.resolve(VersionsFile.NAME), text("0.0.8", "0.9.7"));
      for (StoreExtensionTest.Entrance entrance : StoreExtensionTest.Entrance.values()) {
        String where = part.getKey() + ", " + entrance;
        boolean copies = entrance == StoreExtensionTest.Entrance.SNAPSHOT;
        if (copies && !part.getKey().matches("a format|a feature")) {
          continue; // it copies files that it does not read
        }
        Map<String, String> before = StoreDirectoryTest.contents(path);
        String why =
            String.valueOf(
                assertThrows(
                        StorageException.Incompatible.class, () -> entrance.accept(path), where)
                    .getMessage());
        for (String word : List.of(NOW, "Widerow 0.9.7 wrote", "start that version", "snapshot")) {
          assertTrue(why.contains(word), () -> where + ": " + why);
        }
        assertEquals(before, StoreDirectoryTest.contents(path), where);
      }
      deleteAll(path);
    }
  }

  private static void deleteAll(Path path) throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
