package io.widerow.storage.embedded;

import io.widerow.event.AttributeValue;
import io.widerow.faults.FileJournal;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/// Fuzz targets of the store's other files: a journal that a whole store recovers from, manifest,
/// FORMAT, notes and the witness of the journals.
final class StoreFuzz {
  private static final Path STORE = Path.of("/store");
  private static final UUID ID = new UUID(1, 2);
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final int MANIFEST_HEADER_BYTES = 28;
  private static final int EDIT_HEADER_BYTES = 8;
  private static final int WITNESS_COPY_BYTES = 4 << 10;

  /// The files of a store that was killed.
  private static final Map<Path, byte[]> FILES = killed();

  private StoreFuzz() {}

  private static StoreConfig config() {
    return StoreConfig.at(STORE)
        .withLanes(1, 1)
        .withMemory(2 << 20, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  private static Map<Path, byte[]> killed() {
    var disk = new SimDisk(1);
    disk.createDirectory(STORE);
    StoreFormat.create(disk, STORE, ID);
    try (var driver = new StoreDriver(new SplittableRandom(1))) {
      EmbeddedStore store = open(disk);
      for (int round = 0; round < 3; round++) {
        driver.append(store, START_NANOS, 4);
        store.lane(0).note(new byte[] {1, 2, (byte) round});
        driver.commit(store, Durability.DISK);
        if (round == 0) {
          store.sealAll();
        }
      }
      SimDisk left = disk.restart();
      Map<Path, byte[]> files = new TreeMap<>();
      left.files().forEach(path -> files.put(path, left.bytesOf(path)));
      return files;
    }
  }

  private static EmbeddedStore open(Disk disk) {
    return FileJournal.openStore(config(), disk, new TestClock(START_NANOS));
  }

  private static List<byte[]> named(String part) {
    List<byte[]> found = new ArrayList<>();
    FILES.forEach((path, bytes) -> {
      if (path.toString().contains(part) && bytes.length > 0) {
        found.add(bytes);
      }
    });
    if (found.isEmpty()) {
      throw new IllegalStateException("no " + part + " among " + FILES.keySet());
    }
    return found;
  }

  /// The store with every file of a name replaced by one.
  private static MemoryDisk disk(String part, byte[] replacement) {
    var disk = new MemoryDisk();
    disk.set(STORE, new byte[0]); // so that it exists
    FILES.keySet().forEach(path -> disk.set(path.resolveSibling(""), new byte[0]));
    FILES.forEach(
        (path, bytes) -> disk.set(path, path.toString().contains(part) ? replacement : bytes));
    return disk;
  }

  static List<byte[]> journals() {
    return named(".jnl");
  }

  static void recover(byte[] input) {
    openAndRead(disk(".jnl", JournalFuzz.signAll(input, ID, 0)));
  }

  private static void openAndRead(MemoryDisk disk) {
    try (EmbeddedStore store = open(disk);
        StoreView view = store.view()) {
      var keys =
          view.partitions(_ -> true, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          cursor.event().forEach(new AttributeValue(), (_, value) -> show(value));
        }
      }
    } catch (StorageException told) {
      requireTold(told);
    }
  }

  /// Reads a whole value.
  static void show(AttributeValue value) {
    Objects.requireNonNull(value.toString());
  }

  /// A refusal states its reason.
  static void requireTold(StorageException told) {
    if (String.valueOf(told.getMessage()).length() < 5) {
      throw new AssertionError("a refusal that says nothing", told);
    }
  }

  static List<byte[]> manifests() {
    return named(Manifest.NAME);
  }

  static void readManifest(byte[] input) {
    signManifest(input);
    var disk = disk(Manifest.NAME, input);
    try {
      Manifest manifest = Manifest.read(disk, STORE, ID);
      manifest.segments().forEach(SegmentEntry::infos);
      manifest.close();
    } catch (StorageException told) {
      requireTold(told);
      return;
    }
    openAndRead(disk);
  }

  private static void signManifest(byte[] file) {
    if (file.length < MANIFEST_HEADER_BYTES) {
      return;
    }
    System.arraycopy(manifests().getFirst(), 0, file, 0, MANIFEST_HEADER_BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(file);
    int at = MANIFEST_HEADER_BYTES;
    while (at + EDIT_HEADER_BYTES < file.length) {
      int length = buffer.getInt(at);
      if (length <= 0 || length > file.length - at - EDIT_HEADER_BYTES) {
        length = file.length - at - EDIT_HEADER_BYTES;
        buffer.putInt(at, length);
      }
      CRC32C crc = new CRC32C();
      crc.update(ByteBuffer.allocate(24).putLong(1).putLong(2).putLong(at).flip());
      crc.update(file, at + EDIT_HEADER_BYTES, length);
      buffer.putInt(at + Integer.BYTES, (int) crc.getValue());
      at += EDIT_HEADER_BYTES + length;
    }
  }

  static List<byte[]> formats() {
    List<byte[]> formats = new ArrayList<>(named("FORMAT"));
    formats.add("widerow-store 2\nsomething else\n".getBytes(StandardCharsets.US_ASCII));
    return formats;
  }

  static void readFormat(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    int crcAt = text.lastIndexOf("crc32c ");
    if (crcAt >= 0) {
      CRC32C crc = new CRC32C();
      crc.update(text.substring(0, crcAt).getBytes(StandardCharsets.UTF_8));
      text = text.substring(0, crcAt) + "crc32c %08x\n".formatted((int) crc.getValue());
    }
    var disk = new MemoryDisk();
    disk.set(STORE.resolve(StoreFormat.NAME), text.getBytes(StandardCharsets.ISO_8859_1));
    try {
      StoreFormat format = StoreFormat.read(disk, STORE);
      if (format.storeId().toString().length() != 36) {
        throw new AssertionError(format.toString());
      }
    } catch (StorageException told) {
      requireTold(told);
    }
  }

  static List<byte[]> notes() {
    return named(".notes");
  }

  static void readNotes(byte[] input) {
    if (input.length >= 36) {
      System.arraycopy(notes().getFirst(), 0, input, 0, 28);
      CRC32C crc = new CRC32C();
      crc.update(input, 0, 32);
      crc.update(input, 36, input.length - 36);
      ByteBuffer.wrap(input).putInt(32, (int) crc.getValue());
    }
    var disk = new MemoryDisk();
    Path directory = STORE.resolve(NotesFiles.DIRECTORY);
    disk.set(directory, new byte[0]); // so that it exists
    long first = input.length < 44 ? 0 : ByteBuffer.wrap(input).getLong(36);
    disk.set(directory.resolve("0000-%016x.notes".formatted(first)), input);
    var files = new NotesFiles(disk, STORE, ID);
    int damaged = files.damage().size();
    try {
      files.read();
      var bytes = new AtomicInteger();
      files.tell((_, note) -> bytes.addAndGet(note.length));
      if (bytes.get() > input.length || damaged > 0) {
        throw new AssertionError("%d bytes of notes in %d".formatted(bytes.get(), input.length));
      }
    } catch (StorageException told) {
      requireTold(told);
    }
  }

  static List<byte[]> witnesses() {
    return named("witness");
  }

  static void readWitness(byte[] input) {
    for (int at = 0; at + WITNESS_COPY_BYTES <= input.length; at += WITNESS_COPY_BYTES) {
      CRC32C crc = new CRC32C();
      crc.update(ByteBuffer.allocate(16).putLong(1).putLong(2).flip());
      crc.update(input, at + 12, WITNESS_COPY_BYTES - 12);
      ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).putInt(at + 8, (int) crc.getValue());
    }
    var disk = new MemoryDisk();
    disk.set(STORE.resolve(Witness.NAME), input);
    Witness witness = Witness.read(disk, STORE, ID, 1);
    if (witness.lanes().size() > WITNESS_COPY_BYTES / 24
        || (witness.damage() != null && !witness.lanes().isEmpty())) {
      throw new AssertionError(witness.toString());
    }
  }
}
