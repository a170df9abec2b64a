package io.widerow.storage.journal;

import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.Quarantine;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The contents of the file `witness` of a store: for each lane, the durable end of its journal and
/// the file of that end. A frame proves that the groups before it were durable, and no frame proves
/// that for the last groups. The witness does, in another file, so a journal that lost its end is
/// told from a torn one.
///
/// ```
///  0                                    4096
///  +-------+-----+-------+----------+-------- ~ -+-------+---- ~
///  | magic | crc | lanes | sequence | entries  0 | the other copy
///  +-------+-----+-------+----------+-------- ~ -+-------+---- ~
///  0       8     12      16         24                      an entry: lsn, file, reservedBytes
/// ```
///
/// Little-endian. The file has two copies, each in a block of the disk. The copy with the lesser
/// sequence is overwritten next, so a power cut tears only that one; the valid copy with the
/// greater sequence counts. A checksum covers the store id and the rest of the copy. `WitnessTest`
/// checks FORMAT-journal.md against [#HEADER] and [#ENTRY].
///
/// Its statements stay true: an LSN once durable is durable. So an old witness proves less, and
/// never something false. The first opening writes it before the manifest counts journals.
///
/// @param sequence of the copy that counts; 0 for none
/// @param lanes its entries, by lane
/// @param damage of the file, when it is missing although journals are counted, or cannot be read;
///   null when it is intact
/// @param remark a harmless finding; null for none
public record Witness(
    long sequence, List<Lane> lanes, @Nullable Damage damage, @Nullable String remark) {
  public static final String NAME = "witness";
  public static final String NAME_NEW = "witness.tmp";

  /// An empty witness.
  public static final Witness NONE = new Witness(0, List.of(), null, null);

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final StructLayout HEADER =
      MemoryLayout.structLayout(
          LONG.withName("magic"),
          INT.withName("crc"),
          INT.withName("lanes"),
          LONG.withName("sequence"));

  static final StructLayout ENTRY =
      MemoryLayout.structLayout(
          LONG.withName("lsn"), LONG.withName("file"), LONG.withName("reservedBytes"));

  /// "WIDEROWW" in the order of the bytes on disk.
  static final long MAGIC = 0x57574F5245444957L;

  static final int COPIES = 2;
  static final int COPY_BYTES = 4 << 10;
  private static final long CRC = offsetOf("crc");
  private static final long LANES = offsetOf("lanes");
  private static final long SEQUENCE = offsetOf("sequence");
  private static final long CHECKED_FROM = LANES;
  private static final long LANES_MAX = (COPY_BYTES - HEADER.byteSize()) / ENTRY.byteSize();

  /// The recorded end of a lane's journal.
  ///
  /// @param lsn every group up to this one was durable
  /// @param file number of a file of its journal that existed, complete, with all its bytes
  ///   reserved; it may have been deleted since
  /// @param reservedBytes the least size that this file can have; 0 when that is not known
  public record Lane(long lsn, long file, long reservedBytes) {
    /// A lane whose journal is durable up to an LSN.
    public static Lane of(long lsn, Journal journal) {
      Journal.Current file = journal.current();
      return new Lane(lsn, file.number(), file.reservedBytes());
    }
  }

  public Witness {
    lanes = List.copyOf(lanes);
  }

  private static long offsetOf(String field) {
    return HEADER.byteOffset(PathElement.groupElement(field));
  }

  /// Reads the witness of a store. A file that is missing or cannot be read is damage and no
  /// failure: the store does without it.
  ///
  /// @param journals that the manifest counts. The file was there before it counted any
  public static Witness read(Disk disk, Path directory, UUID storeId, int journals) {
    Path path = directory.resolve(NAME);
    if (!disk.exists(path)) {
      return journals == 0
          ? NONE
          : damaged(path, "the file is missing, so the loss of a journal's end is not detected");
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[COPIES * COPY_BYTES]);
    try (DiskFile file = disk.open(path)) {
      file.read(bytes, 0);
    } catch (StorageException.Failed unreadable) {
      return damaged(path, String.valueOf(unreadable.getMessage()));
    }
    Witness best = null;
    int invalid = 0;
    for (int copy = 0; copy < COPIES; copy++) {
      Witness read = parse(bytes.asSlice((long) copy * COPY_BYTES, COPY_BYTES), storeId);
      invalid += read == null ? 1 : 0;
      best = read != null && (best == null || read.sequence > best.sequence) ? read : best;
    }
    if (best == null) {
      return damaged(path, "the witness of the journals of this store cannot be read");
    }
    return invalid == 0
        ? best
        : new Witness(
            best.sequence,
            best.lanes,
            null,
            path + ": one of its two copies is torn or damaged, the other one counts");
  }

  private static Witness damaged(Path path, String found) {
    return new Witness(
        0, List.of(), new Damage(Damage.Kind.WITNESS, path, 0, found, List.of()), null);
  }

  private static @Nullable Witness parse(MemorySegment copy, UUID storeId) {
    int count = copy.get(INT, LANES);
    if (copy.get(LONG, 0) != MAGIC
        || copy.get(INT, CRC) != checksum(copy, storeId)
        || count < 0
        || count > LANES_MAX) {
      return null;
    }
    List<Lane> lanes = new ArrayList<>();
    for (int lane = 0; lane < count; lane++) {
      long at = HEADER.byteSize() + lane * ENTRY.byteSize();
      lanes.add(
          new Lane(
              copy.get(LONG, at),
              copy.get(LONG, at + Long.BYTES),
              copy.get(LONG, at + 2 * Long.BYTES)));
    }
    return new Witness(copy.get(LONG, SEQUENCE), lanes, null, null);
  }

  private static int checksum(MemorySegment copy, UUID storeId) {
    var crc = new CRC32C();
    crc.update(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(storeId.getMostSignificantBits())
            .putLong(storeId.getLeastSignificantBits())
            .flip());
    crc.update(copy.asSlice(CHECKED_FROM).asByteBuffer());
    return (int) crc.getValue();
  }

  /// One copy of the file.
  static MemorySegment copy(UUID storeId, long sequence, List<Lane> lanes) {
    if (lanes.size() > LANES_MAX) {
      throw new IllegalArgumentException(lanes.size() + " lanes");
    }
    MemorySegment copy = MemorySegment.ofArray(new byte[COPY_BYTES]);
    copy.set(LONG, 0, MAGIC);
    copy.set(INT, LANES, lanes.size());
    copy.set(LONG, SEQUENCE, sequence);
    long at = HEADER.byteSize();
    for (Lane lane : lanes) {
      copy.set(LONG, at, lane.lsn);
      copy.set(LONG, at + Long.BYTES, lane.file);
      copy.set(LONG, at + 2 * Long.BYTES, lane.reservedBytes);
      at += ENTRY.byteSize();
    }
    copy.set(INT, CRC, checksum(copy, storeId));
    return copy;
  }

  /// Writes the witness of a snapshot, or an empty one that replaces a damaged one. The file is
  /// durable; forcing its directory is left to the caller.
  public static void create(Disk disk, Path directory, UUID storeId, List<Lane> lanes) {
    try (DiskFile file = disk.create(directory.resolve(NAME))) {
      fill(file, storeId, 0, lanes);
    }
  }

  /// Replaces a damaged or missing witness by an empty one. Durable on return. After an
  /// interruption the file is missing, and the next call creates it.
  ///
  /// @return a sentence about the repair
  public static String renew(Disk disk, Path directory, UUID storeId, Quarantine quarantine) {
    Path path = directory.resolve(NAME);
    String kept = disk.exists(path) ? "moved to " + quarantine.take(path) + ", and " : "";
    create(disk, directory, storeId, List.of());
    disk.forceDirectory(directory);
    return path + ": " + kept + "replaced by an empty one";
  }

  /// Copies the file of a store into a snapshot as it is, if there is one. A link would change with
  /// the store. The copy is durable; forcing its directory is left to the caller.
  ///
  /// @return bytes written
  public static long copy(Disk disk, Path directory, Path snapshot) {
    Path path = directory.resolve(NAME);
    if (!disk.exists(path)) {
      return 0;
    }
    try (DiskFile from = disk.open(path);
        DiskFile to = disk.create(snapshot.resolve(NAME))) {
      MemorySegment bytes = MemorySegment.ofArray(new byte[COPIES * COPY_BYTES]);
      long read = from.read(bytes, 0);
      to.write(bytes.asSlice(0, read), 0);
      to.force();
      return read;
    }
  }

  /// Writes both copies and forces them.
  static void fill(DiskFile file, UUID storeId, long sequence, List<Lane> lanes) {
    for (int copy = 0; copy < COPIES; copy++) {
      long next = sequence + 1 + copy;
      file.write(copy(storeId, next, lanes), next % COPIES * COPY_BYTES);
    }
    file.force();
  }
}
