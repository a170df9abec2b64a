package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.Arrivals;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The file `migration` of a directory that a cluster is copied into.
///
/// ```
/// widerow-migration 1
/// cluster 5b0c9f1e-...             id of the cluster's store
/// store 0d1f22aa-...               id of the directory's; FORMAT gets it when all is there
/// done c1.0:100000001:...          events applied before are in the directory; absent at first
/// attempt 1 c1.0:100000007:...     a run that is not through: its first segment, how far it goes
/// crc32c 1a2b3c4d                  of all bytes before this line
/// ```
///
/// @param done null before the first run is through
/// @param attempts in their order
record DirectoryRecord(
    UUID cluster, UUID storeId, @Nullable ClusterArrivals done, List<Attempt> attempts) {
  static final String NAME = "migration";
  private static final String NAME_NEW = "migration.tmp";
  private static final String FIRST = "widerow-migration 1";
  private static final String CRC = "crc32c ";

  DirectoryRecord {
    attempts = List.copyOf(attempts);
  }

  /// A run that copies the events that were applied between `done` and `to`.
  ///
  /// @param segmentFirst least id of its segments
  record Attempt(long segmentFirst, ClusterArrivals to) {}

  DirectoryRecord with(Attempt attempt) {
    List<Attempt> more = new ArrayList<>(attempts);
    more.add(attempt);
    return new DirectoryRecord(cluster, storeId, done, more);
  }

  DirectoryRecord through(ClusterArrivals to) {
    return new DirectoryRecord(cluster, storeId, to, List.of());
  }

  String text() {
    StringBuilder text = new StringBuilder(FIRST).append('\n');
    text.append("cluster ").append(cluster).append('\n');
    text.append("store ").append(storeId).append('\n');
    if (done != null) {
      text.append("done ").append(done).append('\n');
    }
    for (Attempt attempt : attempts) {
      text.append("attempt ").append(attempt.segmentFirst).append(' ').append(attempt.to);
      text.append('\n');
    }
    String lines = text.toString();
    return lines + CRC + crc(lines) + "\n";
  }

  /// Replaces the file, durably.
  void write(Disk disk, Path directory) {
    byte[] bytes = text().getBytes(StandardCharsets.UTF_8);
    disk.replace(directory.resolve(NAME), directory.resolve(NAME_NEW), bytes);
    disk.forceDirectory(directory);
  }

  /// Null when there is no such file.
  ///
  /// @throws StorageException.Corrupt when it cannot be read
  static @Nullable DirectoryRecord read(Disk disk, Path directory) {
    Path path = directory.resolve(NAME);
    if (!disk.exists(path)) {
      return null;
    }
    try {
      return parse(new String(disk.readAll(path), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException | IndexOutOfBoundsException bad) {
      throw new StorageException.Corrupt(path, 0, String.valueOf(bad.getMessage()));
    }
  }

  private static DirectoryRecord parse(String text) {
    int end = text.lastIndexOf(CRC);
    if (end < 0 || !text.substring(end).equals(CRC + crc(text.substring(0, end)) + "\n")) {
      throw new IllegalArgumentException("its checksum is wrong");
    }
    if (!text.startsWith(FIRST + "\n")) {
      throw new IllegalArgumentException("it does not begin with " + FIRST);
    }
    UUID cluster = null;
    UUID storeId = null;
    ClusterArrivals done = null;
    List<Attempt> attempts = new ArrayList<>();
    for (String line : text.substring(FIRST.length() + 1, end).lines().toList()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "cluster" -> cluster = UUID.fromString(words[1]);
        case "store" -> storeId = UUID.fromString(words[1]);
        case "done" -> done = position(words[1]);
        case "attempt" -> attempts.add(new Attempt(Long.parseLong(words[1]), position(words[2])));
        default -> throw new IllegalArgumentException(line);
      }
    }
    if (cluster == null || storeId == null) {
      throw new IllegalArgumentException("it names no cluster or no store");
    }
    return new DirectoryRecord(cluster, storeId, done, attempts);
  }

  private static ClusterArrivals position(String text) {
    if (Arrivals.parse(text) instanceof ClusterArrivals position) {
      return position;
    }
    throw new IllegalArgumentException("not a position of a cluster: " + text);
  }

  private static String crc(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted((int) crc.getValue());
  }
}
