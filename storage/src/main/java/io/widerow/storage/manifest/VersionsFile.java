package io.widerow.storage.manifest;

import io.widerow.storage.BuildVersion;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The file `VERSIONS` of a store directory: which version of Widerow created the store, and which
/// wrote it last. It is for people. No program needs it to open a store, and damage of it hides
/// nothing else; `FORMAT` alone decides which programs may open the store.
///
/// ```
/// created 0.1.0
/// written 0.2.0
/// crc32c 1a2b3c4d                   of all bytes before this line
/// ```
///
/// It is replaced, never changed in place: a snapshot may share it.
///
/// - Threads: one at a time; a writer holds the store's lock.
public final class VersionsFile {
  public static final String NAME = "VERSIONS";
  static final String NAME_NEW = "VERSIONS.tmp";

  private static final int BYTES_MAX = 1_024;
  private static final Pattern TEXT =
      Pattern.compile("created (\\S{1,100})\nwritten (\\S{1,100})\ncrc32c ([0-9a-f]{8})\n");

  private VersionsFile() {}

  /// The recorded versions; [StoreVersions#NONE] when the file is missing, damaged or cannot be
  /// read.
  public static StoreVersions read(Disk disk, Path directory) {
    StoreVersions recorded = recorded(disk, directory);
    return recorded == null ? StoreVersions.NONE : recorded;
  }

  /// The finding about a file that is missing or damaged; null when it is whole.
  public static @Nullable String remark(Disk disk, Path directory) {
    return recorded(disk, directory) != null
        ? null
        : directory.resolve(NAME)
            + ": missing or damaged, so the version that created the store is unknown; nothing else"
            + " needs this file, and the next opening for writing replaces it";
  }

  /// Records a store that is being created.
  static void create(Disk disk, Path directory) {
    write(disk, directory, new StoreVersions(BuildVersion.value(), BuildVersion.value()));
  }

  /// Records that this version writes the store, unless that is recorded already. A failure to do
  /// so is a remark: the store needs the file for nothing.
  ///
  /// @return the remark of an upgrade or a downgrade, or of a file that was lost; null for none
  public static @Nullable String writing(Disk disk, Path directory) {
    StoreVersions before = read(disk, directory);
    String remark = remark(disk, directory);
    String now = BuildVersion.value();
    if (remark == null && before.written().equals(now)) {
      return null;
    }
    try {
      write(disk, directory, new StoreVersions(before.created(), now));
    } catch (StorageException refused) {
      return "%s: not replaced, the next opening tries again: %s"
          .formatted(directory.resolve(NAME), refused.getMessage());
    }
    return remark != null
        ? remark
        : "%s: written by Widerow %s until now, from now on by Widerow %s"
            .formatted(directory, before.written(), now);
  }

  /// What to do about a store that this version must not touch, with both versions.
  public static String advice(Disk disk, Path directory) {
    return "this is Widerow %s, and Widerow %s wrote the store last: start that version or a newer"
            .formatted(BuildVersion.value(), read(disk, directory).written())
        + " one, or restore a snapshot from before the upgrade; nothing was changed";
  }

  private static @Nullable StoreVersions recorded(Disk disk, Path directory) {
    Path path = directory.resolve(NAME);
    if (!disk.exists(path)) {
      return null;
    }
    String text;
    try (DiskFile file = disk.open(path)) {
      byte[] bytes = new byte[(int) Math.min(BYTES_MAX, file.size())];
      long got = file.read(MemorySegment.ofArray(bytes), 0);
      text = new String(bytes, 0, (int) got, StandardCharsets.ISO_8859_1);
    } catch (StorageException.Failed unreadable) {
      return null; // reported as damaged, by remark
    }
    Matcher fields = TEXT.matcher(text);
    boolean whole = fields.matches() && fields.group(3).equals(crc(lines(text)));
    return whole ? new StoreVersions(fields.group(1), fields.group(2)) : null;
  }

  private static void write(Disk disk, Path directory, StoreVersions versions) {
    String lines = "created %s\nwritten %s\n".formatted(versions.created(), versions.written());
    byte[] text = (lines + "crc32c %s\n".formatted(crc(lines))).getBytes(StandardCharsets.UTF_8);
    disk.replace(directory.resolve(NAME), directory.resolve(NAME_NEW), text);
    disk.forceDirectory(directory);
  }

  private static String lines(String text) {
    return text.substring(0, text.lastIndexOf("crc32c "));
  }

  private static String crc(String lines) {
    return "%08x".formatted(StoreFormat.crc(lines));
  }
}
