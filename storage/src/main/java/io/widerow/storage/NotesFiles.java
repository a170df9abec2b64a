package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

/// What lanes remember beyond their journals: one small file a lane, written anew, whole, when rows
/// are sealed and their journal may go. Replaced by rename, so it is the old one or the new one.
///
/// ```
///  0          8         24      28       32       36
///  +----------+---------+-------+--------+--------+-----+--------+-------+---- ~
///  | WROWNOT1 | storeId | lane  | count  | crc32c | lsn | length | bytes | ...
///  +----------+---------+-------+--------+--------+-----+--------+-------+---- ~
///                                         of all else    a note: 8, 2, length bytes
/// ```
///
/// Big-endian.
///
/// - Threads: one at a time for each lane.
final class NotesFiles {
  static final String DIRECTORY = "notes";
  private static final byte[] MAGIC = "WROWNOT1".getBytes(StandardCharsets.US_ASCII);
  private static final int CRC_OFFSET = 32;
  private static final int HEADER_BYTES = 36;
  private static final int NOTE_HEADER_BYTES = 10;

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;

  NotesFiles(Disk disk, Path storeDirectory, UUID storeId) {
    this.disk = disk;
    this.directory = storeDirectory.resolve(DIRECTORY);
    this.storeId = storeId;
  }

  void createDirectory() {
    disk.createDirectory(directory);
  }

  /// Replaces a lane's notes. Durable when it returns.
  void write(int lane, List<Note> notes) {
    Path named = directory.resolve(name(lane));
    if (notes.isEmpty() && !disk.exists(named)) {
      return;
    }
    int bytes = HEADER_BYTES;
    for (Note note : notes) {
      bytes += NOTE_HEADER_BYTES + note.bytes().length;
    }
    ByteBuffer content = ByteBuffer.allocate(bytes);
    content.put(MAGIC).putLong(storeId.getMostSignificantBits());
    content.putLong(storeId.getLeastSignificantBits()).putInt(lane).putInt(notes.size()).putInt(0);
    for (Note note : notes) {
      content.putLong(note.lsn()).putShort((short) note.bytes().length).put(note.bytes());
    }
    content.putInt(CRC_OFFSET, checksum(content.array()));
    Path temporary = directory.resolve(name(lane) + ".tmp");
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      file.write(MemorySegment.ofArray(content.array()), 0);
      file.force();
    }
    disk.rename(temporary, named);
    disk.forceDirectory(directory);
  }

  /// Deletes a lane's notes.
  void delete(int lane) {
    disk.delete(directory.resolve(name(lane)));
  }

  /// The notes of all files, by lane, as they lie there.
  ///
  /// @throws StorageException.Corrupt when a file is not what was written
  Map<Integer, List<Note>> read() {
    Map<Integer, List<Note>> notes = new TreeMap<>();
    files().forEach(path -> parse(path, notes));
    return notes;
  }

  /// The files that [#read] would refuse.
  List<Damage> damage() {
    List<Damage> damage = new ArrayList<>();
    for (Path path : files()) {
      try {
        parse(path, new TreeMap<>());
      } catch (StorageException.Corrupt damaged) {
        String found = damaged.found + "; repeats of earlier batches may not be recognised";
        damage.add(new Damage(Damage.Kind.NOTES, path, damaged.offset, found, List.of()));
      }
    }
    return damage;
  }

  private List<Path> files() {
    if (!disk.exists(directory)) {
      return List.of();
    }
    return disk.list(directory).stream()
        .filter(path -> path.getFileName().toString().endsWith(".notes"))
        .toList();
  }

  private void parse(Path path, Map<Integer, List<Note>> notes) {
    byte[] bytes;
    try (DiskFile file = disk.open(path)) {
      bytes = new byte[Math.toIntExact(file.size())];
      file.read(MemorySegment.ofArray(bytes), 0);
    }
    parse(path, bytes, notes);
  }

  private void parse(Path path, byte[] bytes, Map<Integer, List<Note>> notes) {
    if (bytes.length < HEADER_BYTES
        || ByteBuffer.wrap(bytes).getInt(CRC_OFFSET) != checksum(bytes)) {
      throw new StorageException.Corrupt(path, 0, "its checksum is wrong");
    }
    ByteBuffer content = ByteBuffer.wrap(bytes);
    byte[] magic = new byte[MAGIC.length];
    content.get(magic);
    UUID id = new UUID(content.getLong(), content.getLong());
    if (!java.util.Arrays.equals(magic, MAGIC) || !id.equals(storeId)) {
      throw new StorageException.Corrupt(path, 0, "not the notes of store " + storeId);
    }
    int lane = content.getInt();
    if (!path.endsWith(name(lane))) {
      throw new StorageException.Corrupt(path, 0, "the notes of lane " + lane);
    }
    List<Note> found = notes.computeIfAbsent(lane, _ -> new ArrayList<>());
    int count = content.getInt();
    content.position(HEADER_BYTES);
    for (int i = 0; i < count; i++) {
      int at = content.position();
      int left = content.remaining() - NOTE_HEADER_BYTES;
      if (left < 0 || Short.toUnsignedInt(content.getShort(at + Long.BYTES)) > left) {
        throw new StorageException.Corrupt(
            path, at, "note %d of %d does not fit".formatted(i, count));
      }
      long lsn = content.getLong();
      byte[] note = new byte[Short.toUnsignedInt(content.getShort())];
      content.get(note);
      found.add(new Note(lsn, note));
    }
    if (content.hasRemaining()) {
      throw new StorageException.Corrupt(
          path, content.position(), "%d bytes behind the notes".formatted(content.remaining()));
    }
  }

  private static int checksum(byte[] content) {
    var crc = new CRC32C();
    crc.update(content, 0, CRC_OFFSET);
    crc.update(content, HEADER_BYTES, content.length - HEADER_BYTES);
    return (int) crc.getValue();
  }

  private static String name(int lane) {
    return "%04x.notes".formatted(lane);
  }
}
