package io.widerow.storage.manifest;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/// The file `FORMAT` of a store directory: the store's id and the features that a program must
/// understand to read or write it. It is text, written when the directory becomes a store, and
/// again when the store gets tables, sources or cold segments.
///
/// ```
/// widerow-store 1
/// id 5b0c9f1e-...
/// incompatible 0000000000000000     unknown bit set: refuse
/// read-only 0000000000000000        unknown bit set: do not write
/// compatible 0000000000000000       unknown bits do not matter
/// crc32c 1a2b3c4d                   of all bytes before this line
/// ```
///
/// @param storeId distinguishes this store's files from another's
/// @param readOnly true when an unknown feature forbids writing
public record StoreFormat(UUID storeId, boolean readOnly) {
  public static final String NAME = "FORMAT";
  private static final String NAME_NEW = "FORMAT.tmp";

  /// Files that a creation that was cut off may leave.
  private static final List<String> CREATED_BEFORE =
      List.of(NAME_NEW, VersionsFile.NAME, VersionsFile.NAME_NEW);

  /// Incompatible feature: the store has tables, in a directory of their own.
  static final long FEATURE_TABLES = 1;

  /// Incompatible feature: notes have positions of sources. A program that drops these notes with
  /// the others that it does not know would read the sources again.
  static final long FEATURE_SOURCES = 2;

  /// Incompatible feature: there are stubs of cold segments.
  static final long FEATURE_COLD = 4;

  /// Incompatible features that this program knows.
  public static final long INCOMPATIBLE_KNOWN = FEATURE_TABLES | FEATURE_SOURCES | FEATURE_COLD;

  private static final int BYTES_MAX = 4_096;
  private static final int LINE_CHARS_MAX = 40;
  private static final Pattern TEXT =
      Pattern.compile(
          """
          widerow-store (\\d+)
          id ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})
          incompatible ([0-9a-f]{16})
          read-only ([0-9a-f]{16})
          compatible ([0-9a-f]{16})
          crc32c ([0-9a-f]{8})
          """);

  /// True when a directory is a store, false when it may become one. Another program may be
  /// creating a store there concurrently; it writes `FORMAT` before anything else but `VERSIONS`.
  ///
  /// @throws StorageException.Incompatible when the directory holds something else
  public static boolean isStore(Disk disk, Path directory, List<String> mayBeThere) {
    Path format = directory.resolve(NAME);
    if (disk.exists(format)) {
      return true;
    }
    for (Path path : disk.list(directory)) {
      String name = path.getFileName().toString();
      if (!mayBeThere.contains(name) && !CREATED_BEFORE.contains(name)) {
        if (disk.exists(format)) {
          return true;
        }
        throw new StorageException.Incompatible(
            directory, "not a Widerow store: it has no FORMAT file, but contains " + name);
      }
    }
    return false;
  }

  /// @throws StorageException.Incompatible when the directory is not a store
  public static void requireStore(Disk disk, Path directory) {
    if (!disk.exists(directory.resolve(NAME))) {
      String why = disk.exists(directory) ? "no FORMAT file" : "there is no such directory";
      throw new StorageException.Incompatible(directory, "not a Widerow store: " + why);
    }
  }

  /// Makes a directory a store.
  public static StoreFormat create(Disk disk, Path directory, UUID storeId) {
    VersionsFile.create(disk, directory);
    write(disk, directory, storeId, "%016x".formatted(0), "%016x".formatted(0));
    return new StoreFormat(storeId, false);
  }

  /// Sets the bit for tables durably, unless it is set already.
  public static void addTables(Disk disk, Path directory) {
    boolean _ = add(disk, directory, FEATURE_TABLES);
  }

  /// Sets the bit for positions of sources durably, unless it is set already.
  ///
  /// @return whether it was not
  public static boolean addSources(Disk disk, Path directory) {
    return add(disk, directory, FEATURE_SOURCES);
  }

  /// Sets the bit for cold segments durably, unless it is set already.
  public static void addCold(Disk disk, Path directory) {
    boolean _ = add(disk, directory, FEATURE_COLD);
  }

  private static synchronized boolean add(Disk disk, Path directory, long feature) {
    Matcher fields = fields(disk, directory);
    long incompatible = incompatible(fields);
    boolean isNew = (incompatible & feature) == 0;
    if (isNew) {
      String more = "%016x".formatted(incompatible | feature);
      write(disk, directory, UUID.fromString(fields.group(2)), more, fields.group(5));
    }
    return isNew;
  }

  /// True when a store has tables, or is about to get them.
  public static boolean hasTables(Disk disk, Path directory) {
    return (incompatible(fields(disk, directory)) & FEATURE_TABLES) != 0;
  }

  private static long incompatible(Matcher fields) {
    return Long.parseUnsignedLong(fields.group(3), 16);
  }

  /// Replaces the file. What forbids writing is not set: this program writes.
  private static void write(
      Disk disk, Path directory, UUID storeId, String incompatible, String compatible) {
    String lines =
        """
        widerow-store 1
        id %s
        incompatible %s
        read-only %016x
        compatible %s
        """
            .formatted(storeId, incompatible, 0, compatible);
    byte[] text = (lines + "crc32c %08x\n".formatted(crc(lines))).getBytes(StandardCharsets.UTF_8);
    disk.replace(directory.resolve(NAME), directory.resolve(NAME_NEW), text);
    disk.forceDirectory(directory);
  }

  /// @throws StorageException.Incompatible when this program must not touch the store
  public static StoreFormat read(Disk disk, Path directory) {
    Matcher fields = fields(disk, directory);
    return new StoreFormat(
        UUID.fromString(fields.group(2)), Long.parseUnsignedLong(fields.group(4), 16) != 0);
  }

  /// @throws StorageException.ReadOnly when this program must not write
  public void requireWritable(Disk disk, Path directory) {
    if (readOnly) {
      throw new StorageException.ReadOnly(
          "%s: a feature that this version lacks forbids writing; %s"
              .formatted(directory, VersionsFile.advice(disk, directory)));
    }
  }

  private static Matcher fields(Disk disk, Path directory) {
    Path path = directory.resolve(NAME);
    String text;
    try (DiskFile file = disk.open(path)) {
      if (file.size() > BYTES_MAX) {
        throw new StorageException.Incompatible(path, "%d bytes long".formatted(file.size()));
      }
      byte[] bytes = new byte[(int) file.size()];
      long got = file.read(MemorySegment.ofArray(bytes), 0);
      text = new String(bytes, 0, (int) got, StandardCharsets.ISO_8859_1);
    }
    Matcher fields = TEXT.matcher(text);
    if (text.startsWith("widerow-store ") && !text.startsWith("widerow-store 1\n")) {
      String newer = "a newer format, %s instead of widerow-store 1".formatted(firstLine(text));
      throw new StorageException.Incompatible(path, newer)
          .with(VersionsFile.advice(disk, directory));
    }
    if (!fields.matches()) {
      throw new StorageException.Corrupt(path, 0, "not written by Widerow");
    }
    String lines = text.substring(0, text.lastIndexOf("crc32c "));
    if (Integer.parseUnsignedInt(fields.group(6), 16) != crc(lines)) {
      throw new StorageException.Corrupt(path, 0, "its checksum is wrong");
    }
    if ((incompatible(fields) & ~INCOMPATIBLE_KNOWN) != 0) {
      long unknown = incompatible(fields) & ~INCOMPATIBLE_KNOWN;
      throw new StorageException.Incompatible(
              path, "needs features that this version lacks: bits %016x".formatted(unknown))
          .with(VersionsFile.advice(disk, directory));
    }
    return fields;
  }

  private static String firstLine(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.substring(0, Math.min(LINE_CHARS_MAX, line.length())).replaceAll("[^ -~]", "?");
  }

  static int crc(String lines) {
    var crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return (int) crc.getValue();
  }
}
