package io.widerow.storage.objects;

import io.widerow.storage.embedded.BackupCut;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;

/// Frames of the journals of some seconds, with the cuts that end in them: an object
/// `journal/<epoch>/<seq>.wj`. FORMAT-OBJECTS.md describes its bytes.
///
/// - Threads: any; immutable.
final class FrameObject {
  static final long MAGIC = 0x4C494154574F5257L; // "WROWTAIL" in the order of the bytes
  static final int VERSION = 1;
  static final int HEAD_BYTES = 64;
  static final int END_BYTES = 12;
  static final int ALIGNMENT = 8;
  private static final int JOURNALS_MAX = 170;

  private final Key key;
  private final int crcBefore;
  private final int crc;
  private final List<BackupCut> cuts;
  private final List<Part> parts;
  private final byte[] bytes;

  /// Where an object belongs.
  ///
  /// @param seq numbers the objects of an epoch, from 0
  record Key(UUID store, int epoch, long seq) {
    String object() {
      return name(epoch, seq);
    }
  }

  /// The frames of one journal.
  ///
  /// @param lsnFirst of its first frame; one more than `lsnLast` without frames
  /// @param from byte at which they begin
  /// @param limit byte at which they end
  record Part(long lsnFirst, long lsnLast, int from, int limit) {}

  /// Takes a frame.
  interface Sink {
    void frame(int journal, MemorySegment frame);
  }

  private FrameObject(
      Key key, int crcBefore, int crc, List<BackupCut> cuts, List<Part> parts, byte[] bytes) {
    this.key = key;
    this.crcBefore = crcBefore;
    this.crc = crc;
    this.cuts = List.copyOf(cuts);
    this.parts = List.copyOf(parts);
    this.bytes = bytes;
  }

  static String name(int epoch, long seq) {
    return String.format(Locale.ROOT, "%s%016x.wj", directory(epoch), seq);
  }

  static String directory(int epoch) {
    return String.format(Locale.ROOT, "journal/%08x/", epoch);
  }

  List<BackupCut> cuts() {
    return cuts;
  }

  /// Its journals: those of the lanes, then that of the tables.
  List<Part> parts() {
    return parts;
  }

  byte[] bytes() {
    return bytes;
  }

  /// Its checksum, which the next object of the epoch repeats.
  int crc() {
    return crc;
  }

  /// The checksum of the object before; 0 in the first one.
  int crcBefore() {
    return crcBefore;
  }

  /// Passes its frames on, journal by journal, each at an aligned address.
  void frames(Sink sink) {
    for (int journal = 0; journal < parts.size(); journal++) {
      Part part = parts.get(journal);
      int at = part.from();
      for (long lsn = part.lsnFirst(); lsn <= part.lsnLast(); lsn++) {
        int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
        if (length < 0 || length > part.limit() - at - Integer.BYTES) {
          throw damaged(key, "frame %d of journal %d is too long".formatted(lsn, journal));
        }
        MemorySegment copy = MemorySegment.ofArray(new long[Math.ceilDiv(length, Long.BYTES)]);
        MemorySegment.copy(bytes, at + Integer.BYTES, copy, ValueLayout.JAVA_BYTE, 0, length);
        sink.frame(journal, copy.asSlice(0, length));
        at = aligned(at + Integer.BYTES + length);
      }
    }
  }

  private static int aligned(int offset) {
    return (offset + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /// Reads an object.
  ///
  /// @param key where it was found
  /// @throws ObjectsException.Damaged when it is not the one that was put there
  static FrameObject read(Key key, byte[] bytes) {
    try {
      return parse(key, bytes);
    } catch (BufferUnderflowException | IllegalArgumentException tooShort) {
      throw damaged(key, "its lengths do not fit: " + tooShort);
    }
  }

  private static FrameObject parse(Key key, byte[] bytes) {
    if (bytes.length < HEAD_BYTES + END_BYTES) {
      throw damaged(key, "%d bytes long".formatted(bytes.length));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = bytes.length - END_BYTES;
    var crc = new CRC32C();
    crc.update(bytes, 0, end);
    if (in.getLong() != MAGIC || in.getLong(end + Integer.BYTES) != MAGIC) {
      throw damaged(key, "not an object of frames");
    }
    if (in.getInt(end) != (int) crc.getValue()) {
      throw damaged(key, "its checksum is wrong");
    }
    int version = in.getInt();
    long features = in.getLong();
    if (version != VERSION || features != 0) {
      throw damaged(
          key,
          "version %d with features %016x, which this program lacks".formatted(version, features));
    }
    Key found = new Key(new UUID(in.getLong(), in.getLong()), in.getInt(), in.getLong());
    if (!found.equals(key)) {
      throw damaged(
          key, "it is object %d of epoch %d of a store".formatted(found.seq(), found.epoch()));
    }
    int crcBefore = in.getInt();
    int cutCount = in.getInt();
    int journals = Short.toUnsignedInt(in.getShort());
    if (journals < 2 || journals > JOURNALS_MAX || cutCount < 0 || cutCount > bytes.length) {
      throw damaged(key, "%d cuts of %d journals".formatted(cutCount, journals));
    }
    in.position(HEAD_BYTES);
    List<BackupCut> cuts = new ArrayList<>();
    for (int i = 0; i < cutCount; i++) {
      long nanos = in.getLong();
      long changes = in.getLong();
      List<Long> lsns = new ArrayList<>();
      for (int journal = 0; journal < journals; journal++) {
        lsns.add(in.getLong());
      }
      cuts.add(new BackupCut(nanos, changes, lsns));
    }
    List<Part> parts = new ArrayList<>();
    int at = in.position() + journals * 3 * Long.BYTES;
    for (int journal = 0; journal < journals; journal++) {
      long lsnFirst = in.getLong();
      long lsnLast = in.getLong();
      long length = in.getLong();
      if (length < 0 || length > end - at || lsnLast < lsnFirst - 1) {
        throw damaged(key, "journal %d has %d bytes".formatted(journal, length));
      }
      parts.add(new Part(lsnFirst, lsnLast, at, at + (int) length));
      at += (int) length;
    }
    if (at != end) {
      throw damaged(key, "%d bytes belong to nothing".formatted(end - at));
    }
    return new FrameObject(key, crcBefore, (int) crc.getValue(), cuts, parts, bytes);
  }

  private static ObjectsException.Damaged damaged(Key key, String found) {
    return new ObjectsException.Damaged(key.object(), found);
  }

  /// Collects frames for an object.
  ///
  /// - Threads: one.
  static final class Builder {
    private final List<ByteArrayOutputStream> frames = new ArrayList<>();
    private final List<Long> lsnLast;
    private final List<Long> lsnBefore;
    private final List<BackupCut> cuts = new ArrayList<>();
    private int bytes;

    /// @param lsns the last frame of each journal that an object has
    Builder(List<Long> lsns) {
      lsnBefore = List.copyOf(lsns);
      lsnLast = new ArrayList<>(lsns);
      lsns.forEach(_ -> frames.add(new ByteArrayOutputStream()));
    }

    /// Adds the next frame of a journal.
    void add(int journal, MemorySegment frame) {
      ByteArrayOutputStream into = frames.get(journal);
      int length = Math.toIntExact(frame.byteSize());
      into.writeBytes(
          ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array());
      into.writeBytes(frame.toArray(ValueLayout.JAVA_BYTE));
      into.writeBytes(new byte[aligned(into.size()) - into.size()]);
      lsnLast.set(journal, lsnLast.get(journal) + 1);
      bytes += length;
    }

    /// The journal begins after this frame: it did not exist before.
    void begin(int journal, long lsn) {
      lsnLast.set(journal, lsn);
    }

    void add(BackupCut cut) {
      cuts.add(cut);
    }

    /// Bytes of the frames.
    int bytes() {
      return bytes;
    }

    boolean isEmpty() {
      return bytes == 0 && cuts.isEmpty();
    }

    List<BackupCut> cuts() {
      return Collections.unmodifiableList(cuts);
    }

    /// The last frame of each journal.
    List<Long> lsns() {
      return List.copyOf(lsnLast);
    }

    FrameObject build(Key key, int crcBefore) {
      int journals = frames.size();
      int head = HEAD_BYTES + cuts.size() * (journals + 2) * Long.BYTES + journals * 24;
      int all = frames.stream().mapToInt(ByteArrayOutputStream::size).sum();
      ByteBuffer out = ByteBuffer.allocate(head + all + END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      out.putLong(MAGIC).putInt(VERSION).putLong(0);
      out.putLong(key.store().getMostSignificantBits());
      out.putLong(key.store().getLeastSignificantBits());
      out.putInt(key.epoch()).putLong(key.seq()).putInt(crcBefore);
      out.putInt(cuts.size()).putShort((short) journals).position(HEAD_BYTES);
      for (BackupCut cut : cuts) {
        out.putLong(cut.nanos()).putLong(cut.changes());
        cut.lsns().forEach(out::putLong);
      }
      List<Part> parts = new ArrayList<>();
      int at = head;
      for (int journal = 0; journal < journals; journal++) {
        int length = frames.get(journal).size();
        long first = length == 0 ? lsnLast.get(journal) + 1 : firstOf(journal);
        parts.add(new Part(first, lsnLast.get(journal), at, at + length));
        out.putLong(first).putLong(lsnLast.get(journal)).putLong(length);
        at += length;
      }
      frames.forEach(each -> out.put(each.toByteArray()));
      var crc = new CRC32C();
      crc.update(out.array(), 0, head + all);
      out.putInt((int) crc.getValue()).putLong(MAGIC);
      return new FrameObject(key, crcBefore, (int) crc.getValue(), cuts, parts, out.array());
    }

    private long firstOf(int journal) {
      return lsnBefore.get(journal) + 1;
    }
  }
}
