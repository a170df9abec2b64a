package io.widerow.storage.cassandra.apply;

import io.widerow.storage.Arrivals;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The rounds of a daemon. A round is recorded here before any of it is written to the cluster, so
/// that a restart makes the same round again: the same keys, the same events. One file, of records:
///
/// ```
///  0                  8                                24
///  +------------------+--------------------------------+
///  | "WRROUND1"       | the directory's owner, a UUID  |     header
///  +--------+---------+--------+-------+---------------+
///  | length | crc32c  | kind   | ...   | zeros to 8    |     a record; length counts from kind on
///  +--------+---------+--------+-------+---------------+
/// ```
///
/// Big-endian. The checksum is salted with the owner and the record's offset. A damaged record at
/// the end was being written when the machine stopped, and nothing relied on it; one that has a
/// whole record after it means a damaged disk, and the file is refused. Notes that are not forced
/// stand in one record, which the next forced one replaces and repeats: so a machine that stops
/// leaves no damaged record before a whole one, in whatever order its pages were written. A file
/// that has grown is rewritten with the records that are still needed.
///
/// Zeros after the last record are room for the next ones, so that rounds can still be written down
/// on a disk that is full to the last byte. Where there is no room for a new file, an opening
/// continues with the old one.
///
/// - Threads: one.
public final class RoundsFile implements AutoCloseable {
  public static final String NAME = "rounds";

  private static final String NAME_NEW = "rounds.new";
  private static final long MAGIC = 0x5752_524f_554e_4431L;
  private static final int HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 8;
  private static final int RECORD_BYTES_MAX = 64 << 20;
  private static final long BYTES_MAX = 1 << 20;
  private static final int UNFORCED_BYTES_MAX = 4 << 10;
  private static final int ROOM_BYTES = 64 << 10; // zeros, some hundred rounds

  private static final int BEGUN = 1;
  private static final int LEFT_OUT = 2;
  private static final int APPLIED = 3;
  private static final int SETTLED = 4;
  private static final int TAKEN = 5;

  private final Disk disk;
  private final Path directory;
  private final UUID owner;
  private final Rounds rounds = new Rounds();
  private @Nullable DiskFile file; // null while it is opened
  private long limit;
  private long forcedLimit;
  private long roomLimit; // end of the zeros after the last record
  private boolean renamed; // the name of the file is not durable yet
  private final ByteArrayOutputStream unforced = new ByteArrayOutputStream(); // after forcedLimit
  private long bytesMax = BYTES_MAX;

  private RoundsFile(Disk disk, Path directory, UUID owner) {
    this.disk = disk;
    this.directory = directory;
    this.owner = owner;
  }

  /// Opens the file of a directory, or makes one.
  ///
  /// @param owner of the directory
  /// @param first whether the directory has no rounds yet
  /// @throws StorageException.Corrupt when it is missing, or damaged elsewhere than at its end;
  ///   names the place
  public static RoundsFile open(Disk disk, Path directory, UUID owner, boolean first) {
    Path path = directory.resolve(NAME);
    RoundsFile opened = new RoundsFile(disk, directory, owner);
    if (disk.exists(path)) {
      opened.read(path, disk.readAll(path));
    } else if (!first) {
      throw new StorageException.Corrupt(path, 0, "the file is missing");
    }
    try {
      opened.rewrite(); // without a damaged end
    } catch (StorageException.DiskFull full) {
      if (opened.file != null) {
        opened.close();
        throw full;
      }
      if (!disk.exists(path)) {
        throw full;
      }
      opened.goOn(disk.openForWriting(path));
    }
    return opened;
  }

  /// Continues after the last whole record of the file that was read. A machine that stopped may
  /// have left bytes after it, but no whole record: the next records overwrite these bytes.
  private void goOn(DiskFile before) {
    file = before;
    before.force(); // the records that were read are relied on from now on
    forcedLimit = limit;
    roomLimit = limit; // what follows may be no zeros, and is written over all the same
    bytesMax = Math.max(BYTES_MAX, 2 * limit);
  }

  private static DiskFile create(Disk disk, Path directory) {
    disk.delete(directory.resolve(NAME_NEW));
    return disk.create(directory.resolve(NAME_NEW));
  }

  /// Size from which the file is rewritten.
  void rewriteFrom(long bytes) {
    bytesMax = bytes;
  }

  /// Offset after the last record.
  long end() {
    return limit;
  }

  /// The rounds in the file.
  Rounds rounds() {
    return rounds;
  }

  private void read(Path path, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < HEADER_BYTES || in.getLong(0) != MAGIC) {
      throw new StorageException.Corrupt(path, 0, "no file of rounds: the header is wrong");
    }
    UUID of = new UUID(in.getLong(8), in.getLong(16));
    if (!of.equals(owner)) {
      throw new StorageException.Corrupt(
          path, 8, "the rounds of another directory, %s instead of %s".formatted(of, owner));
    }
    int at = HEADER_BYTES;
    while (isRecord(bytes, at)) {
      int length = in.getInt(at);
      byte[] body = new byte[length];
      in.get(at + RECORD_HEADER_BYTES, body);
      try (DataInputStream record = new DataInputStream(new ByteArrayInputStream(body))) {
        do {
          take(record);
        } while (record.available() > 0);
      } catch (IOException | IllegalArgumentException wrong) {
        throw new StorageException.Corrupt(path, at, "a record that makes no sense: " + wrong);
      }
      at = aligned(at + RECORD_HEADER_BYTES + length);
    }
    limit = at;
    for (int later = at + 8; later < bytes.length; later += 8) {
      if (isRecord(bytes, later)) {
        throw new StorageException.Corrupt(
            path, at, "a damaged record with a whole one after it, at byte " + later);
      }
    }
  }

  private static int aligned(int offset) {
    return (offset + 7) & -8;
  }

  private boolean isRecord(byte[] bytes, int at) {
    if (at + RECORD_HEADER_BYTES > bytes.length) {
      return false;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int length = in.getInt(at);
    return length > 0
        && length <= Math.min(RECORD_BYTES_MAX, in.limit() - at - RECORD_HEADER_BYTES)
        && crc(bytes, at + RECORD_HEADER_BYTES, length, at) == in.getInt(at + 4);
  }

  private int crc(byte[] bytes, int offset, int length, long fileOffset) {
    CRC32C crc = new CRC32C();
    ByteBuffer salt = ByteBuffer.allocate(24);
    salt.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    crc.update(salt.putLong(fileOffset).array());
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  private void take(DataInputStream in) throws IOException {
    switch (in.readUnsignedByte()) {
      case BEGUN -> rounds.begun(readRound(in));
      case LEFT_OUT -> rounds.leftOut(in.readLong(), readLeftOut(in));
      case APPLIED -> rounds.applied(in.readLong());
      case SETTLED -> rounds.settled(in.readLong());
      case TAKEN -> rounds.taken(in.readLong());
      default -> throw new IllegalArgumentException("its kind is unknown");
    }
  }

  // Records.

  /// Writes a round down, durably.
  void begun(Round round) {
    append(record(BEGUN, out -> writeRound(out, round)), true);
    rounds.begun(round);
  }

  /// Writes several rounds down, durably, all of them or none.
  void begun(List<Round> all) {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    all.forEach(round -> records.writeBytes(record(BEGUN, out -> writeRound(out, round))));
    if (records.size() > 0) {
      append(records.toByteArray(), true);
      all.forEach(rounds::begun);
    }
  }

  /// Writes down what a round leaves out, durably. Nothing of the round may be written before.
  void leftOut(long stamp, List<PendingBatch.LeftOut> batches) {
    append(leftOutRecord(stamp, batches), true);
    rounds.leftOut(stamp, batches);
  }

  /// Notes that a round and those before are applied. Not forced: a round may be applied again.
  void applied(long stamp) {
    append(record(APPLIED, out -> out.writeLong(stamp)), false);
    rounds.applied(stamp);
    if (limit > bytesMax) {
      try {
        rewrite();
      } catch (StorageException.DiskFull full) {
        bytesMax = 2 * limit; // it may grow until there is room for a new one
        return;
      }
      bytesMax = Math.max(BYTES_MAX, 2 * limit);
    }
  }

  /// Notes that a batch that was left out is applied by the other daemon.
  void settled(long counterFrom) {
    append(record(SETTLED, out -> out.writeLong(counterFrom)), false);
    rounds.settled(counterFrom);
  }

  /// Writes down, durably, that a batch that was left out is this daemon's after all.
  void taken(long counterFrom) {
    append(record(TAKEN, out -> out.writeLong(counterFrom)), true);
    rounds.taken(counterFrom);
  }

  /// Writes a record together with the unforced notes before it.
  private void append(byte[] one, boolean force) {
    int before = unforced.size();
    unforced.writeBytes(one);
    byte[] body = unforced.toByteArray();
    DiskFile to = open();
    try {
      forceName();
      write(to, body, forcedLimit);
      if (limit > roomLimit) {
        makeRoom(to);
      }
      if (force || body.length > UNFORCED_BYTES_MAX) {
        to.force();
        forcedLimit = limit;
        unforced.reset();
      }
    } catch (StorageException failed) {
      unforced.reset();
      unforced.write(body, 0, before); // the caller may try again
      throw failed;
    }
  }

  private void write(DiskFile to, byte[] body, long at) {
    ByteBuffer record = ByteBuffer.allocate(aligned(RECORD_HEADER_BYTES + body.length));
    record.putInt(body.length).putInt(crc(body, 0, body.length, at)).put(body);
    to.write(MemorySegment.ofArray(record.array()), at);
    limit = at + record.capacity();
  }

  /// Takes room for the next records, while there is some.
  private void makeRoom(DiskFile to) {
    try {
      to.write(MemorySegment.ofArray(new byte[ROOM_BYTES]), limit);
      roomLimit = limit + ROOM_BYTES;
    } catch (StorageException.DiskFull none) {
      roomLimit = limit + UNFORCED_BYTES_MAX; // tried again later, not at each record
    }
  }

  private void writeNext(DiskFile to, byte[] body) {
    write(to, body, limit);
  }

  private DiskFile open() {
    return Objects.requireNonNull(file, "not open");
  }

  /// Writes a new file with the records that are still needed, and renames it over the old one.
  ///
  /// @throws StorageException.DiskFull when there is no room; the old file stays in use if there
  ///   was one, or the new one is in use and its name becomes durable before the next record
  private void rewrite() {
    DiskFile before = file;
    long limitBefore = limit;
    long roomBefore = roomLimit;
    DiskFile fresh = create(disk, directory);
    try {
      try (fresh) {
        writeAll(fresh);
        makeRoom(fresh);
        fresh.force();
      }
      disk.rename(directory.resolve(NAME_NEW), directory.resolve(NAME));
    } catch (StorageException.DiskFull full) {
      disk.delete(directory.resolve(NAME_NEW)); // its room goes to the others
      limit = limitBefore;
      roomLimit = roomBefore;
      throw full;
    }
    if (before != null) {
      before.close();
    }
    file = disk.openForWriting(directory.resolve(NAME));
    forcedLimit = limit;
    unforced.reset();
    renamed = true;
    forceName();
  }

  /// Makes the name of a new file durable, before anything is written that relies on it.
  private void forceName() {
    if (renamed) {
      disk.forceDirectory(directory);
      renamed = false;
    }
  }

  private void writeAll(DiskFile fresh) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).putLong(MAGIC);
    header.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    fresh.write(MemorySegment.ofArray(header.array()), 0);
    limit = HEADER_BYTES;
    Round last = rounds.lastApplied();
    writeNext(fresh, record(BEGUN, out -> writeRound(out, last)));
    writeNext(fresh, record(APPLIED, out -> out.writeLong(last.stamp())));
    writeNext(fresh, leftOutRecord(last.stamp(), rounds.allLeftOut()));
    for (PendingBatch.LeftOut left : rounds.takenOver()) {
      writeNext(fresh, record(TAKEN, out -> out.writeLong(left.batch().counterFrom())));
    }
    for (Rounds.Begun begun : rounds.pending()) {
      writeNext(fresh, record(BEGUN, out -> writeRound(out, begun.round())));
      List<PendingBatch.LeftOut> left = begun.leftOut();
      if (left != null) {
        writeNext(fresh, leftOutRecord(begun.round().stamp(), left));
      }
    }
  }

  private interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] record(int kind, Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(kind);
      body.write(out);
    } catch (IOException impossible) {
      throw new IllegalStateException("cannot write to memory", impossible);
    }
    return bytes.toByteArray();
  }

  private static byte[] leftOutRecord(long stamp, List<PendingBatch.LeftOut> batches) {
    return record(
        LEFT_OUT,
        out -> {
          out.writeLong(stamp);
          writeLeftOut(out, batches);
        });
  }

  private static void writeRound(DataOutputStream out, Round round) throws IOException {
    out.writeLong(round.stamp());
    writePosition(out, round.from());
    writePosition(out, round.to());
    out.writeLong(round.base());
    out.writeLong(round.low());
    out.writeLong(round.span());
    writeLeftOut(out, round.taken());
  }

  private static Round readRound(DataInputStream in) throws IOException {
    long stamp = in.readLong();
    LaneArrivals from = readPosition(in);
    LaneArrivals to = readPosition(in);
    long base = in.readLong();
    long low = in.readLong();
    long span = in.readLong();
    return new Round(stamp, from, to, base, low, span, readLeftOut(in));
  }

  private static void writePosition(DataOutputStream out, LaneArrivals position)
      throws IOException {
    out.writeUTF(position.toString());
  }

  private static LaneArrivals readPosition(DataInputStream in) throws IOException {
    String text = in.readUTF();
    if (Arrivals.parse(text) instanceof LaneArrivals position) {
      return position;
    }
    throw new IllegalArgumentException("a position of another store: " + text);
  }

  private static void writeBatch(DataOutputStream out, PendingBatch batch) throws IOException {
    out.writeUTF(batch.key());
    out.writeByte(batch.lane());
    out.writeByte(batch.lanes());
    out.writeLong(batch.counterFrom());
    out.writeInt(batch.count());
    out.writeLong(batch.seconds());
  }

  private static PendingBatch readBatch(DataInputStream in) throws IOException {
    return new PendingBatch(
        in.readUTF(),
        in.readUnsignedByte(),
        in.readUnsignedByte(),
        in.readLong(),
        in.readInt(),
        in.readLong());
  }

  private static void writeLeftOut(DataOutputStream out, List<PendingBatch.LeftOut> batches)
      throws IOException {
    out.writeInt(batches.size());
    for (PendingBatch.LeftOut left : batches) {
      writeBatch(out, left.batch());
      out.writeInt(left.other().daemon());
      out.writeLong(left.other().stamp());
      out.writeLong(left.other().counterFrom());
      out.writeLong(left.stamp());
      writePosition(out, left.held());
    }
  }

  private static List<PendingBatch.LeftOut> readLeftOut(DataInputStream in) throws IOException {
    List<PendingBatch.LeftOut> batches = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      PendingBatch batch = readBatch(in);
      Claim other = new Claim(in.readInt(), in.readLong(), in.readLong());
      batches.add(new PendingBatch.LeftOut(batch, other, in.readLong(), readPosition(in)));
    }
    return batches;
  }

  @Override
  public void close() {
    open().close();
  }
}
