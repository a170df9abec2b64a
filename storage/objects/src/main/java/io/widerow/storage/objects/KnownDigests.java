package io.widerow.storage.objects;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Digests of the files that never change under their names, as of the last checkpoint: the file
/// `backup/digests` of the store's directory. A start reads the ends of files instead of all bytes;
/// they have the number of the segment and the checksum of its index.
///
/// - Threads: one.
final class KnownDigests {
  private static final String NAME = "digests";
  private static final String TEMPORARY = "digests.tmp";
  private static final int TAIL_BYTES = 64; // of a segment: its footer
  private static final Pattern FILE =
      Pattern.compile(
          "\\{\"file\":\"([A-Za-z0-9._/-]+)\",\"bytes\":(\\d{1,18}),"
              + "\"sha256\":\"([0-9a-f]{64})\",\"tail\":\"([0-9a-f]{8})\"}");

  private final Disk disk;
  private final Path directory;
  private final Map<String, Known> all = new HashMap<>(); // by path
  private boolean changed;

  /// @param tail checksum of the end of the file
  private record Known(Checkpoint.Entry entry, int tail) {}

  /// Reads those of a store; none when the file is not whole.
  KnownDigests(Disk disk, Path store) {
    this.disk = disk;
    this.directory = store.resolve(BackupMark.DIRECTORY);
    Path file = directory.resolve(NAME);
    if (!disk.exists(file)) {
      return;
    }
    try {
      for (String line : CheckedLines.read(NAME, disk.readAll(file))) {
        Matcher text = FILE.matcher(line);
        if (text.matches()) {
          var entry =
              new Checkpoint.Entry(text.group(1), Long.parseLong(text.group(2)), text.group(3));
          all.put(entry.path(), new Known(entry, Integer.parseUnsignedInt(text.group(4), 16)));
        }
      }
    } catch (ObjectsException.Damaged cut) {
      all.clear(); // all files are read then
    }
  }

  /// The entry of a file; null when its bytes must be read.
  Checkpoint.@Nullable Entry of(String path, Path file, long bytes) {
    Known known = all.get(path);
    return known != null && known.entry().bytes() == bytes && known.tail() == tail(file, bytes)
        ? known.entry()
        : null;
  }

  void add(Checkpoint.Entry entry, Path file) {
    all.put(entry.path(), new Known(entry, tail(file, entry.bytes())));
    changed = true;
  }

  private int tail(Path file, long bytes) {
    byte[] end = new byte[(int) Math.min(bytes, TAIL_BYTES)];
    try (DiskFile opened = disk.open(file)) {
      long _ = opened.read(MemorySegment.ofArray(end), bytes - end.length);
    }
    var crc = new CRC32C();
    crc.update(end);
    return (int) crc.getValue();
  }

  /// Keeps those of some paths only, and writes them if they have changed.
  void save(List<String> paths) {
    changed |= all.keySet().retainAll(paths);
    if (!changed) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    for (Known each : new TreeMap<>(all).values()) {
      lines.append(
          "{\"file\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\",\"tail\":\"%08x\"}\n"
              .formatted(
                  each.entry().path(), each.entry().bytes(), each.entry().sha256(), each.tail()));
    }
    disk.replace(
        directory.resolve(NAME), directory.resolve(TEMPORARY), CheckedLines.toBytes(lines));
    changed = false;
  }
}
