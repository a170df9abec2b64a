package io.widerow.storage.objects;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The directory in which a store is copied for a backup: a store without the files of segments
/// that are objects already.
///
/// ```
///   backup/copy/    FORMAT, manifest, migration, and segments that are no objects yet
///   backup/base     name of the checkpoint that it goes on from; empty before the first one
///   backup/sent     a line for each segment that was put since: file, bytes, SHA-256
/// ```
///
/// A file of a segment is deleted only when its line in `sent` is durable. So a copy that was cut
/// off goes on with the segments that it has put.
///
/// - Threads: one.
final class CopiedFiles {
  private static final String COPY = "copy";
  private static final String BASE = "base";
  private static final String SENT = "sent";
  private static final String TEMPORARY = "base.tmp";
  private static final Pattern LINE =
      Pattern.compile("(segments/[A-Za-z0-9._-]+) (\\d{1,18}) ([0-9a-f]{64})\n");

  private final Disk disk;
  private final Path directory;
  private final ObjectStore objects;
  private final Map<String, Checkpoint.Entry> base = new HashMap<>(); // by path
  private final Map<String, Checkpoint.Entry> sent = new HashMap<>();
  private long sentBytes; // length of the file `sent`
  private long bytes;

  /// @param directory `backup` of a daemon's directory
  private CopiedFiles(Disk disk, Path directory, ObjectStore objects) {
    this.disk = disk;
    this.directory = directory;
    this.objects = objects;
  }

  /// Goes on with what is in a directory when it follows a checkpoint, else from the checkpoint.
  ///
  /// @param directory made when it is absent
  /// @param last the newest checkpoint of the place; null when it has none
  static CopiedFiles open(
      Disk disk, Path directory, ObjectStore objects, @Nullable Checkpoint last) {
    var files = new CopiedFiles(disk, directory, objects);
    disk.createDirectory(directory);
    if (last != null) {
      last.files().forEach(file -> files.base.put(file.path(), file));
    }
    Path at = directory.resolve(BASE);
    String follows =
        disk.exists(at) ? new String(disk.readAll(at), StandardCharsets.US_ASCII) : null;
    if ((last == null ? "" : last.name()).equals(follows)) {
      files.readSent();
    } else {
      files.fetch(last);
    }
    return files;
  }

  private void readSent() {
    Path file = directory.resolve(SENT);
    String text =
        disk.exists(file) ? new String(disk.readAll(file), StandardCharsets.US_ASCII) : "";
    Matcher line = LINE.matcher(text);
    while (line.find() && line.start() == sentBytes) { // the last one may be cut off
      var entry = new Checkpoint.Entry(line.group(1), Long.parseLong(line.group(2)), line.group(3));
      sent.put(entry.path(), entry);
      sentBytes = line.end();
    }
  }

  private void fetch(@Nullable Checkpoint last) {
    forget();
    Path copy = copy();
    if (last != null) {
      disk.createDirectory(copy);
      for (Checkpoint.Entry file : last.files()) {
        if (!file.path().contains("/")) {
          Path to = copy.resolve(file.path());
          FetchedFile.make(objects, file.object(), file.bytes(), file.sha256(), disk, to);
        }
      }
      disk.forceDirectory(copy);
    }
    follow(last == null ? "" : last.name());
  }

  /// Forgets everything: the next one begins with the newest checkpoint.
  void forget() {
    disk.delete(directory.resolve(BASE));
    disk.delete(directory.resolve(SENT));
    disk.forceDirectory(directory);
    BackupFeed.deleteAll(disk, copy());
  }

  private void follow(String checkpoint) {
    disk.replace(
        directory.resolve(BASE),
        directory.resolve(TEMPORARY),
        checkpoint.getBytes(StandardCharsets.US_ASCII));
    disk.forceDirectory(directory);
  }

  /// The directory of the copy.
  Path copy() {
    return directory.resolve(COPY);
  }

  /// The id of the store that the copy becomes; it has one once something was copied.
  UUID storeId() {
    return StoreFormat.read(disk, copy()).storeId();
  }

  /// Puts a segment, and deletes its file.
  void put(Path segment) {
    FileContent content = FileContent.of(disk, segment);
    var entry =
        new Checkpoint.Entry(
            Manifest.SEGMENTS + "/" + segment.getFileName(),
            content.bytes(),
            ContentDigest.of(content));
    putUnlessThere(entry, content);
    append(entry);
    sent.put(entry.path(), entry);
    disk.delete(segment);
  }

  private void append(Checkpoint.Entry entry) {
    Path file = directory.resolve(SENT);
    boolean isNew = !disk.exists(file);
    byte[] line =
        "%s %d %s\n"
            .formatted(entry.path(), entry.bytes(), entry.sha256())
            .getBytes(StandardCharsets.US_ASCII);
    try (DiskFile out = isNew ? disk.create(file) : disk.openForWriting(file)) {
      out.write(MemorySegment.ofArray(line), sentBytes);
      out.force();
    }
    if (isNew) {
      disk.forceDirectory(directory);
    }
    sentBytes += line.length;
  }

  private void putUnlessThere(Checkpoint.Entry entry, ObjectStore.Content content) {
    ObjectStore.Found found = objects.head(entry.object());
    if (found == null || found.bytes() != content.bytes()) {
      objects.put(entry.object(), content);
      bytes += content.bytes();
    }
  }

  /// Puts the segments that a copy which was cut off has left, and the files of the state; returns
  /// the files of the store.
  ///
  /// @throws ObjectsException.Damaged when a segment is neither here nor there; everything is
  ///   forgotten then
  List<Checkpoint.Entry> putAll() {
    Path segments = copy().resolve(Manifest.SEGMENTS);
    if (disk.exists(segments)) {
      disk.list(segments).forEach(this::put);
    }
    List<Checkpoint.Entry> files = new ArrayList<>();
    try (Manifest manifest = Manifest.read(disk, copy(), storeId())) {
      for (SegmentEntry segment : manifest.segments()) {
        files.add(known(Manifest.SEGMENTS + "/" + segment.fileName()));
      }
    }
    for (Path path : disk.list(copy())) {
      String name = path.getFileName().toString();
      boolean isState =
          !disk.isDirectory(path)
              && !name.endsWith(".tmp")
              && !CheckpointWriter.MADE_AGAIN.contains(name);
      if (isState) {
        FileContent content = FileContent.of(disk, path);
        var entry = new Checkpoint.Entry(name, content.bytes(), ContentDigest.of(content));
        putUnlessThere(entry, content);
        files.add(entry);
      }
    }
    return files;
  }

  private Checkpoint.Entry known(String path) {
    Checkpoint.Entry entry = sent.getOrDefault(path, base.get(path));
    if (entry == null || (!base.containsKey(path) && objects.head(entry.object()) == null)) {
      forget();
      throw new ObjectsException.Damaged(
          path, "it is not in the backup any more; the copy begins again with the last checkpoint");
    }
    return entry;
  }

  /// A checkpoint of the files was made: the next one goes on from it.
  void made(Checkpoint checkpoint) {
    follow(checkpoint.name());
    disk.delete(directory.resolve(SENT));
    sentBytes = 0;
    sent.clear();
    base.clear();
    checkpoint.files().forEach(file -> base.put(file.path(), file));
  }

  /// Names of the objects that the next checkpoint relies on.
  Set<String> inUse() {
    Set<String> names = new HashSet<>();
    base.values().forEach(entry -> names.add(entry.object()));
    sent.values().forEach(entry -> names.add(entry.object()));
    return names;
  }

  /// Bytes of the objects that were put.
  long bytes() {
    return bytes;
  }
}
