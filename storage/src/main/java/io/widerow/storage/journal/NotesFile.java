package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.UUID;
import java.util.zip.CRC32C;

/// One immutable file of a lane's notes.
///
/// ```
///  0          8         24      28       32       36
///  +----------+---------+-------+--------+--------+-----+--------+-------+---- ~
///  | WROWNOT1 | storeId | lane  | count  | crc32c | lsn | length | bytes | ...
///  +----------+---------+-------+--------+--------+-----+--------+-------+---- ~
///                                         of all else    a note: 8, 2, length bytes
/// ```
///
/// Big-endian, in ascending order of LSNs. Its name is its lane and its first LSN.
///
/// @param first the least LSN of a note
/// @param last the greatest
/// @param bytes size of the file
public record NotesFile(Path path, int lane, long first, long last, long bytes) {
  public static final String SUFFIX = ".notes";
  static final String TEMPORARY = ".tmp";
  private static final byte[] MAGIC = "WROWNOT1".getBytes(StandardCharsets.US_ASCII);
  private static final int CRC_OFFSET = 32;
  private static final int HEADER_BYTES = 36;
  private static final int NOTE_HEADER_BYTES = 10;

  /// The content of a file.
  ///
  /// @param notes in file order
  record Content(NotesFile file, List<Note> notes) {}

  /// Bytes that a note takes in a file.
  static int bytes(Note note) {
    return NOTE_HEADER_BYTES + note.bytes().length;
  }

  /// Writes a file and replaces one of the same name. The file is forced; its name is durable only
  /// after [Disk#forceDirectory].
  ///
  /// @param notes at least one, in ascending order of LSNs
  static NotesFile write(Disk disk, Path directory, UUID storeId, int lane, List<Note> notes) {
    byte[] content = content(storeId, lane, notes);
    Path named = directory.resolve(name(lane, notes.getFirst().lsn()));
    disk.replace(named, directory.resolve(named.getFileName() + TEMPORARY), content);
    return of(named, lane, notes, content.length);
  }

  private static byte[] content(UUID storeId, int lane, List<Note> notes) {
    int bytes = HEADER_BYTES;
    for (Note note : notes) {
      bytes = Math.addExact(bytes, bytes(note));
    }
    ByteBuffer content = ByteBuffer.allocate(bytes);
    content.put(MAGIC).putLong(storeId.getMostSignificantBits());
    content.putLong(storeId.getLeastSignificantBits()).putInt(lane).putInt(notes.size()).putInt(0);
    for (Note note : notes) {
      content.putLong(note.lsn()).putShort((short) note.bytes().length).put(note.bytes());
    }
    content.putInt(CRC_OFFSET, checksum(content.array()));
    return content.array();
  }

  /// @throws StorageException.Corrupt when the file is damaged
  static Content read(Disk disk, Path path, UUID storeId) {
    return parse(path, disk.readAll(path), storeId);
  }

  private static Content parse(Path path, byte[] bytes, UUID storeId) {
    if (bytes.length < HEADER_BYTES
        || ByteBuffer.wrap(bytes).getInt(CRC_OFFSET) != checksum(bytes)) {
      throw new StorageException.Corrupt(path, 0, "its checksum is wrong");
    }
    ByteBuffer content = ByteBuffer.wrap(bytes);
    byte[] magic = new byte[MAGIC.length];
    content.get(magic);
    UUID id = new UUID(content.getLong(), content.getLong());
    if (!Arrays.equals(magic, MAGIC) || !id.equals(storeId)) {
      throw new StorageException.Corrupt(path, 0, "not the notes of store " + storeId);
    }
    int lane = content.getInt();
    int count = content.getInt();
    content.position(HEADER_BYTES);
    List<Note> notes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      notes.add(parseNote(path, content, i, count));
    }
    if (content.hasRemaining()) {
      throw new StorageException.Corrupt(
          path, content.position(), "%d bytes after the notes".formatted(content.remaining()));
    }
    if (notes.isEmpty()) {
      throw new StorageException.Corrupt(path, 0, "it has no notes");
    }
    String named = name(lane, notes.getFirst().lsn());
    if (!path.endsWith(named)) {
      throw new StorageException.Corrupt(path, 0, "it has the notes of the file " + named);
    }
    return new Content(of(path, lane, notes, bytes.length), notes);
  }

  private static NotesFile of(Path path, int lane, List<Note> notes, long bytes) {
    LongSummaryStatistics lsns = notes.stream().mapToLong(Note::lsn).summaryStatistics();
    return new NotesFile(path, lane, lsns.getMin(), lsns.getMax(), bytes);
  }

  private static Note parseNote(Path path, ByteBuffer content, int number, int count) {
    int at = content.position();
    int left = content.remaining() - NOTE_HEADER_BYTES;
    if (left < 0 || Short.toUnsignedInt(content.getShort(at + Long.BYTES)) > left) {
      throw new StorageException.Corrupt(
          path, at, "note %d of %d does not fit".formatted(number, count));
    }
    long lsn = content.getLong();
    byte[] note = new byte[Short.toUnsignedInt(content.getShort())];
    content.get(note);
    return new Note(lsn, note);
  }

  private static int checksum(byte[] content) {
    var crc = new CRC32C();
    crc.update(content, 0, CRC_OFFSET);
    crc.update(content, HEADER_BYTES, content.length - HEADER_BYTES);
    return (int) crc.getValue();
  }

  private static String name(int lane, long first) {
    return "%04x-%016x%s".formatted(lane, first, SUFFIX);
  }
}
