package io.widerow.storage.objects;

import io.widerow.storage.embedded.BackupCut;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
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

  /// Its size.
  long size() {
    return bytes.length;
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

  /// Collects frames for one object after the other.
  ///
  /// - Threads: one.
  /// - Memory: the frames of an object, in arrays that the next object uses again.
  static final class Builder {
    private final List<Frames> frames = new ArrayList<>();
    private List<Long> lsnLast = List.of();
    private List<Long> lsnBefore = List.of();
    private List<BackupCut> cuts = List.of();
    private int bytes;

    /// Begins an object. The one that was built before must no longer be read.
    ///
    /// @param lsns the last frame of each journal that an object has
    void begin(List<Long> lsns) {
      lsnBefore = List.copyOf(lsns);
      lsnLast = new ArrayList<>(lsns);
      cuts = new ArrayList<>();
      bytes = 0;
      frames.forEach(Frames::reset);
      while (frames.size() < lsns.size()) {
        frames.add(new Frames());
      }
    }

    /// Adds the next frame of a journal.
    void add(int journal, MemorySegment frame) {
      int length = Math.toIntExact(frame.byteSize());
      frames.get(journal).add(frame, length);
      lsnLast.set(journal, lsnLast.get(journal) + 1);
      bytes += length;
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

    /// The last frame of each journal.
    List<Long> lsns() {
      return List.copyOf(lsnLast);
    }

    /// Ends the object.
    ///
    /// @return readable until the next one begins
    Built build(Key key, int crcBefore) {
      int journals = lsnLast.size();
      int head = HEAD_BYTES + cuts.size() * (journals + 2) * Long.BYTES + journals * 24;
      ByteBuffer out = ByteBuffer.allocate(head).order(ByteOrder.LITTLE_ENDIAN);
      out.putLong(MAGIC).putInt(VERSION).putLong(0);
      out.putLong(key.store().getMostSignificantBits());
      out.putLong(key.store().getLeastSignificantBits());
      out.putInt(key.epoch()).putLong(key.seq()).putInt(crcBefore);
      out.putInt(cuts.size()).putShort((short) journals).position(HEAD_BYTES);
      for (BackupCut cut : cuts) {
        out.putLong(cut.nanos()).putLong(cut.changes());
        cut.lsns().forEach(out::putLong);
      }
      for (int journal = 0; journal < journals; journal++) {
        int length = frames.get(journal).size();
        out.putLong(length == 0 ? lsnLast.get(journal) + 1 : lsnBefore.get(journal) + 1);
        out.putLong(lsnLast.get(journal)).putLong(length);
      }
      var crc = new CRC32C();
      crc.update(out.array());
      frames.forEach(each -> each.update(crc));
      ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      end.putInt((int) crc.getValue()).putLong(MAGIC);
      return new Built(
          (int) crc.getValue(), List.copyOf(cuts), out.array(), List.copyOf(frames), end.array());
    }
  }

  /// Frames of one journal, each with its length before it and aligned.
  private static final class Frames extends ByteArrayOutputStream {
    void add(MemorySegment frame, int length) {
      int next = aligned(count + Integer.BYTES + length);
      if (next > buf.length) {
        buf = Arrays.copyOf(buf, Math.max(next, 2 * buf.length));
      }
      ByteBuffer.wrap(buf).order(ByteOrder.LITTLE_ENDIAN).putInt(count, length);
      int end = count + Integer.BYTES + length;
      MemorySegment.copy(frame, ValueLayout.JAVA_BYTE, 0, buf, count + Integer.BYTES, length);
      Arrays.fill(buf, end, next, (byte) 0);
      count = next;
    }

    void update(CRC32C crc) {
      crc.update(buf, 0, count);
    }

    InputStream open() {
      return new ByteArrayInputStream(buf, 0, count);
    }
  }

  /// An object to put.
  ///
  /// @param crc its checksum
  /// @param cuts those in it
  @SuppressWarnings("ArrayRecordComponent") // it is compared with no other
  record Built(int crc, List<BackupCut> cuts, byte[] head, List<Frames> frames, byte[] end)
      implements ObjectStore.Content {
    @Override
    public long bytes() {
      return head.length + frames.stream().mapToLong(Frames::size).sum() + end.length;
    }

    @Override
    public InputStream open() {
      List<InputStream> all = new ArrayList<>();
      all.add(new ByteArrayInputStream(head));
      frames.forEach(each -> all.add(each.open()));
      all.add(new ByteArrayInputStream(end));
      return new SequenceInputStream(Collections.enumeration(all));
    }
  }
}
