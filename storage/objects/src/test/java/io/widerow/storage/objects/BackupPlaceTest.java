package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.Seeds;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: with real files, journals and a directory as the place: a backup is restored, every bad
/// object that a restore needs is named by a verification and stops a restore, and only one
/// directory writes to a place. Method: a small store; each object is flipped, cut, exchanged or
/// deleted in turn.
class BackupPlaceTest {
  private static final Duration ALWAYS = Duration.ZERO;
  private static final RetentionOptions KEPT = RetentionOptions.of(Duration.ofDays(7), 35);

  @TempDir private Path directory = Path.of(".");

  private final AtomicLong monotonic = new AtomicLong();

  private static EmbeddedStore open(Path data) {
    return EmbeddedStore.open(
        StoreConfig.at(data).withLanes(2, 2).withDiskReserveBytes(0), Runnable::run);
  }

  private Backup backup(EmbeddedStore store, ObjectStore objects) {
    var options =
        new BackupOptions(ALWAYS, Duration.ofHours(1), 1L << 40, 1 << 20, "a \"host\"", KEPT);
    return new Backup(store::backup, objects, options, monotonic::get);
  }

  private void step(Backup backup) {
    monotonic.addAndGet(60_000_000_000L);
    backup.step();
  }

  private static void write(EmbeddedStore store, int from, int until) {
    try (var batch = new EventBatch(1 << 12, 1 << 12)) {
      for (int n = from; n < until; n++) {
        LaneWriter lane = store.lane(n % 2);
        batch.clear();
        NumberedEvents.add(batch, n);
        lane.append(
            batch,
            0,
            (_, why) -> {
              throw new AssertionError(why);
            });
        lane.commit(Durability.DISK);
      }
    }
  }

  private static int count(Path data) {
    try (EmbeddedStore store = open(data);
        StoreView view = store.view()) {
      assertEquals(List.of(), store.statistics().damage());
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).size();
    }
  }

  /// A place with a checkpoint that has files, and frames after it.
  private ObjectStore place() throws InterruptedException {
    ObjectStore objects = new DirectoryObjects(directory.resolve("place"));
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = backup(store, objects)) {
      write(store, 0, 10);
      store.sealAll();
      store.awaitBackground();
      step(backup);
      backup.checkpoint();
      for (int n = 10; n < 30; n += 5) {
        write(store, n, n + 5);
        step(backup);
      }
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
    }
    return objects;
  }

  @Test
  void itIsRestored() throws InterruptedException {
    ObjectStore objects = place();
    Path target = directory.resolve("restored");
    Restore.Result made = new Restore(objects, target).run(Long.MAX_VALUE);
    assertEquals(target, made.directory());
    assertEquals(count(directory.resolve("store")), count(target));
    assertThrows(
        StorageException.Incompatible.class,
        () -> new Restore(objects, target).run(Long.MAX_VALUE));
    assertThrows(
        ObjectsException.NotThere.class,
        () -> new Restore(objects, directory.resolve("early")).run(0));
    assertEquals(1, new BackupCatalog(objects).spans().size());
  }

  @Test
  void eachBadObjectIsNamed() throws InterruptedException, IOException {
    ObjectStore objects = place();
    Path place = directory.resolve("place");
    assertEquals(List.of(), new Verification(objects).run(Long.MAX_VALUE, false).damaged());
    assertEquals(List.of(), new Verification(objects).run(Long.MAX_VALUE, true).damaged());
    List<String> needed =
        objects.list("").stream()
            .filter(name -> name.contains("/") && !name.startsWith("checkpoints/"))
            .filter(name -> !name.startsWith(Trash.DIRECTORY))
            .filter(name -> !name.equals(FrameObject.name(1, 0))) // before the checkpoint
            .toList();
    assertTrue(needed.stream().anyMatch(name -> name.startsWith("segments/")), needed.toString());
    assertTrue(needed.stream().filter(name -> name.startsWith("journal/")).count() >= 4);
    for (int i = 0; i < needed.size(); i++) {
      Path file = place.resolve(needed.get(i));
      byte[] right = Files.readAllBytes(file);
      byte[] flipped = right.clone();
      flipped[right.length / 2] ^= 1;
      byte[] other = Files.readAllBytes(place.resolve(needed.get((i + 1) % needed.size())));
      byte[] cut = java.util.Arrays.copyOf(right, right.length - 1);
      for (byte[] bad : List.of(flipped, other, cut)) {
        Files.write(file, bad);
        assertNamed(objects, needed.get(i));
      }
      Files.delete(file);
      boolean isFrames = needed.get(i).startsWith("journal/");
      boolean isLast = i + 1 == needed.size() || !needed.get(i + 1).startsWith("journal/");
      if (!(isFrames && isLast)) { // the last one may not have been put
        assertNamed(objects, needed.get(i));
        assertTrue(
            damaged(objects, true).contains(needed.get(i)),
            () -> "a quick look should find that it is missing");
      }
      Files.write(file, right);
    }
    assertEquals(List.of(), new Verification(objects).run(Long.MAX_VALUE, false).damaged());
  }

  private static String damaged(ObjectStore objects, boolean quick) {
    try {
      return String.join("\n", new Verification(objects).run(Long.MAX_VALUE, quick).damaged());
    } catch (ObjectsException.Damaged found) {
      return String.valueOf(found.getMessage());
    }
  }

  private void assertNamed(ObjectStore objects, String name) {
    String found = damaged(objects, false);
    assertTrue(found.startsWith(name + ": "), () -> name + " is bad; found: " + found);
    Path target = directory.resolve("never");
    var restore = new Restore(objects, target);
    assertThrows(RuntimeException.class, () -> restore.run(Long.MAX_VALUE));
    assertFalse(Files.exists(target), name);
    restore.discard();
  }

  /// A segment that is damaged here after it was put is not put again: only its end is read.
  @Test
  void aStartReadsNoFileAgain() throws InterruptedException, IOException {
    ObjectStore objects = place();
    var _ = new Restore(objects, directory.resolve("before")).run(Long.MAX_VALUE);
    List<String> segments = objects.list("segments/");
    try (Stream<Path> files = Files.list(directory.resolve("store/segments"))) {
      for (Path file : files.toList()) {
        String name = "segments/" + file.getFileName().toString().replace(".seg", "-");
        if (segments.stream().anyMatch(each -> each.startsWith(name))) {
          byte[] bytes = Files.readAllBytes(file);
          bytes[100] ^= 1;
          Files.write(file, bytes);
        }
      }
    }
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = backup(store, objects)) {
      step(backup);
      backup.checkpoint();
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
      step(backup);
    }
    assertTrue(objects.list("segments/").containsAll(segments));
    assertEquals(List.of(), new Verification(objects).run(Long.MAX_VALUE, false).damaged());
    ObjectStore.Read digests =
        new DirectoryObjects(directory.resolve("store/backup")).get("digests");
    assertTrue(digests != null && digests.bytes().length > 0);
    Path target = directory.resolve("restored");
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      var _ = new Restore(objects, target, threads, 4).run(Long.MAX_VALUE);
    }
    assertEquals(count(directory.resolve("before")), count(target));
  }

  /// It is named, and everything but deleting goes on.
  @Test
  void aDamagedListOfTrashStopsNothingElse() throws InterruptedException {
    ObjectStore objects = place();
    objects.put("trash/00000001-0000000000000000", new BytesContent(new byte[9]));
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = backup(store, objects)) {
      step(backup);
      backup.checkpoint();
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
      assertEquals(2, backup.status().epoch());
      assertTrue(String.valueOf(backup.status().reason()).startsWith("trash/00000001-"));
    }
    assertEquals(List.of(), new Verification(objects).run(Long.MAX_VALUE, false).damaged());
  }

  @Test
  void oneDirectoryOwnsAPlace() throws InterruptedException {
    ObjectStore objects = place();
    List<String> before = objects.list("");
    try (EmbeddedStore other = open(directory.resolve("other"));
        Backup backup = backup(other, objects)) {
      write(other, 0, 10);
      step(backup);
      backup.checkpoint();
      assertEquals("other-owner", backup.status().state());
      assertTrue(String.valueOf(backup.status().reason()).contains("a__host_"));
      step(backup);
    }
    assertEquals(before, objects.list(""));
    int epoch = Backup.takeOver(objects, directory.resolve("other"), "h", 0);
    assertEquals(2, epoch);
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = backup(store, objects)) {
      step(backup);
      assertEquals("other-owner", backup.status().state());
    }
    try (EmbeddedStore other = open(directory.resolve("other"));
        Backup backup = backup(other, objects)) {
      step(backup);
      backup.checkpoint();
      step(backup);
      assertEquals(3, backup.status().epoch());
    }
    Path target = directory.resolve("restored");
    var _ = new Restore(objects, target).run(Long.MAX_VALUE);
    assertEquals(count(directory.resolve("other")), count(target));
  }

  @Test
  void anOwnerThatIsReplacedWritesNoMore() throws InterruptedException {
    ObjectStore objects = place();
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = backup(store, objects)) {
      step(backup);
      var _ = Owner.claim(objects, Owner.OBJECT, UUID.randomUUID(), "thief", 0, true);
      List<String> before = objects.list("checkpoints/");
      backup.checkpoint();
      assertEquals(before, objects.list("checkpoints/"));
      assertEquals("other-owner", backup.status().state());
      write(store, 30, 40); // ingest goes on
      assertEquals(0, backup.status().pendingBytes());
    }
  }

  @Test
  void aPlaceWithoutRoomLeavesAGapAndNoMore() throws InterruptedException {
    ObjectStore objects = place();
    var options = new BackupOptions(ALWAYS, Duration.ofHours(1), 0, 1 << 20, "h", KEPT);
    try (EmbeddedStore store = open(directory.resolve("store"));
        Backup backup = new Backup(store::backup, objects, options, monotonic::get)) {
      step(backup);
      backup.checkpoint();
      write(store, 30, 40);
      store.sealAll(); // the journal waits for the backup alone
      store.awaitBackground();
      assertTrue(backup.status().pendingBytes() > 0);
      step(backup); // no byte may wait
      assertEquals(0, backup.status().epoch());
      assertEquals(0, backup.status().pendingBytes());
      step(backup);
      backup.checkpoint();
      step(backup);
      assertEquals("shipping", backup.status().state(), () -> backup.status().toString());
    }
    assertEquals(3, new BackupCatalog(objects).spans().size());
    var _ = new Restore(objects, directory.resolve("restored")).run(Long.MAX_VALUE);
    assertEquals(count(directory.resolve("store")), count(directory.resolve("restored")));
  }

  @Test
  void aDirectoryIsAnObjectStore() throws IOException {
    ObjectStore objects = new DirectoryObjects(directory.resolve("o"));
    ObjectStoreContract.eachCall(objects);
    assertEquals(0, ObjectStoreContract.random(objects, new SplittableRandom(Seeds.one()), 300));
    assertThrows(IllegalArgumentException.class, () -> objects.get("../x"));
    try (Stream<Path> files = Files.walk(directory.resolve("o"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertEquals(
            "rw-------",
            java.nio.file.attribute.PosixFilePermissions.toString(
                Files.getPosixFilePermissions(file)),
            file.toString());
      }
    }
  }

  @Test
  void placesAreWritten() {
    for (String wrong :
        List.of(
            "/directory",
            "s3://bucket",
            "s3://bucket/",
            "s3://Bucket/p",
            "s3://b/p",
            "s3://bucket/a//b",
            "s3://bucket/../b",
            "s3://bucket/a/.",
            "s3:bucket/p",
            "s3://key:secret@bucket/p")) {
      var refused =
          assertThrows(
              IllegalArgumentException.class, () -> ObjectPlace.parse("backup", wrong), wrong);
      assertFalse(String.valueOf(refused.getMessage()).contains("secret"), refused.toString());
    }
    assertEquals(Path.of("/a/b"), ObjectPlace.parse("backup", "file:/a/b").directory());
    assertEquals(
        new ObjectPlace.Bucket("my.bucket-1", "a/b"),
        ObjectPlace.parse("backup", "s3://my.bucket-1/a/b/").bucket());
    for (String wrong : List.of("h:1", "https://", "http://h/path", "http://k:secret@h")) {
      var refused =
          assertThrows(
              IllegalArgumentException.class, () -> S3Options.endpoint("s3-endpoint", wrong));
      assertFalse(String.valueOf(refused.getMessage()).contains("secret"), refused.toString());
    }
  }
}
