package io.widerow.storage.cold;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/// The part of a cold segment that stays here, the file `segments/<id>.cold`: header, cells, index
/// and footer of the segment, and where the whole of it is. All else of the segment, its blocks and
/// filters, is read from the object.
///
/// ```
///  0        64                       64 + fileBytes - tailOffset
///  +--------+------------------------+-------+---------+
///  | header | segment from tailOffset | place | trailer |
///  +--------+------------------------+-------+---------+
///
///  trailer, 72 bytes
///  0            8           16       48           52        56       60       64      72
///  +------------+-----------+--------+------------+---------+---------+--------+-------+
///  | tailOffset | fileBytes | sha256 | placeBytes | bodyCrc | version | crc32c | magic |
///  +------------+-----------+--------+------------+---------+---------+--------+-------+
/// ```
///
/// Little-endian. `bodyCrc` covers header and tail, `crc32c` the place and the trailer before it.
///
/// @param path of the stub
/// @param place URL at which the object was put
/// @param tailOffset offset in the segment from which the stub has everything
/// @param bytes of the segment
/// @param sha256 of the segment, in hex digits
public record ColdStub(Path path, String place, long tailOffset, long bytes, String sha256) {
  /// Suffix of the names of stubs.
  public static final String SUFFIX = ".cold";

  static final int HEADER_BYTES = 64;
  static final int TRAILER_BYTES = 72;

  /// "WROWCOLD" as bytes.
  private static final long MAGIC = 0x444c_4f43_574f_5257L;

  private static final int VERSION = 1;
  private static final int SHA_BYTES = 32;
  private static final int PLACE_BYTES_MAX = 1 << 12;
  private static final int CRC_AT = 60;
  private static final int NAME_DIGITS = 16;
  private static final int COPY_BYTES = 1 << 16;

  /// Name of the object: that of the segment's file, with the begin of the hash.
  public String object() {
    String name = path.getFileName().toString();
    return object(name.substring(0, name.length() - SUFFIX.length()), sha256);
  }

  /// Name of the object of a segment.
  ///
  /// @param id as names of files have it
  public static String object(String id, String sha256) {
    return "segments/%s-%s.seg".formatted(id, sha256.substring(0, NAME_DIGITS));
  }

  /// Bytes of the segment that the stub has.
  long bodyBytes() {
    return HEADER_BYTES + bytes - tailOffset;
  }

  /// Writes the stub of a segment under another name, and forces it.
  ///
  /// @param segment the file of the segment
  public void write(Disk disk, DiskFile segment, Path as) {
    disk.delete(as);
    try (DiskFile out = disk.create(as)) {
      var crc = new CRC32C();
      copy(segment, 0, HEADER_BYTES, out, 0, crc);
      copy(segment, tailOffset, bytes - tailOffset, out, HEADER_BYTES, crc);
      out.write(MemorySegment.ofArray(end((int) crc.getValue())), bodyBytes());
      out.force();
    }
  }

  private static void copy(
      DiskFile from, long offset, long count, DiskFile to, long toOffset, CRC32C crc) {
    byte[] buffer = new byte[COPY_BYTES];
    for (long done = 0; done < count; ) {
      int piece = (int) Math.min(buffer.length, count - done);
      read(from, offset + done, buffer, piece);
      crc.update(buffer, 0, piece);
      to.write(MemorySegment.ofArray(buffer).asSlice(0, piece), toOffset + done);
      done += piece;
    }
  }

  private static void read(DiskFile from, long offset, byte[] target, int count) {
    if (from.read(MemorySegment.ofArray(target).asSlice(0, count), offset) != count) {
      throw new StorageException.Corrupt(from.path(), offset, "it ends early");
    }
  }

  private byte[] end(int bodyCrc) {
    byte[] url = place.getBytes(StandardCharsets.UTF_8);
    ByteBuffer end =
        ByteBuffer.allocate(url.length + TRAILER_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(url)
            .putLong(tailOffset)
            .putLong(bytes)
            .put(HexFormat.of().parseHex(sha256))
            .putInt(url.length)
            .putInt(bodyCrc)
            .putInt(VERSION);
    return end.putInt(crc(end.array(), url.length + CRC_AT)).putLong(MAGIC).array();
  }

  private static int crc(byte[] bytes, int count) {
    var crc = new CRC32C();
    crc.update(bytes, 0, count);
    return (int) crc.getValue();
  }

  /// Reads where a stub's object is.
  ///
  /// @throws StorageException.Corrupt when it is not a whole stub
  /// @throws StorageException.Incompatible when a newer program wrote it
  static ColdStub read(DiskFile file) {
    return parse(file).stub;
  }

  private record Parsed(ColdStub stub, int bodyCrc) {}

  private static Parsed parse(DiskFile file) {
    int most = (int) Math.min(file.size(), PLACE_BYTES_MAX + TRAILER_BYTES);
    byte[] end = new byte[most];
    read(file, file.size() - most, end, most);
    if (most < TRAILER_BYTES) {
      throw broken(file, "a stub of %d bytes".formatted(most));
    }
    ByteBuffer trailer = ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN);
    trailer.position(most - TRAILER_BYTES);
    long tailOffset = trailer.getLong();
    long bytes = trailer.getLong();
    byte[] sha = new byte[SHA_BYTES];
    trailer.get(sha);
    int placeBytes = trailer.getInt();
    int bodyCrc = trailer.getInt();
    int version = trailer.getInt();
    int placeAt = most - TRAILER_BYTES - placeBytes;
    int crc = trailer.getInt();
    if (trailer.getLong() != MAGIC || placeBytes < 0 || placeAt < 0) {
      throw broken(file, "not the end of a stub");
    }
    var covered = new CRC32C();
    covered.update(end, placeAt, placeBytes + CRC_AT);
    if ((int) covered.getValue() != crc) {
      throw broken(file, "the end of the stub is damaged");
    }
    if (version != VERSION) {
      throw new StorageException.Incompatible(
          file.path(), "stub of format %d; this program reads %d".formatted(version, VERSION));
    }
    String place = new String(end, placeAt, placeBytes, StandardCharsets.UTF_8);
    var stub = new ColdStub(file.path(), place, tailOffset, bytes, HexFormat.of().formatHex(sha));
    if (tailOffset < HEADER_BYTES
        || tailOffset > bytes
        || stub.bodyBytes() + placeBytes + TRAILER_BYTES != file.size()) {
      throw broken(file, "%d bytes of %d from %d".formatted(file.size(), bytes, tailOffset));
    }
    return new Parsed(stub, bodyCrc);
  }

  /// Reads the stub of a path.
  public static ColdStub read(Disk disk, Path path) {
    try (DiskFile file = disk.open(path)) {
      return read(file);
    }
  }

  /// Checks every byte of a stub.
  ///
  /// @throws StorageException.Corrupt when one is wrong
  public static void verify(Disk disk, Path path) {
    try (DiskFile file = disk.open(path)) {
      Parsed parsed = parse(file);
      var crc = new CRC32C();
      byte[] buffer = new byte[COPY_BYTES];
      long count = parsed.stub.bodyBytes();
      for (long at = 0; at < count; ) {
        int piece = (int) Math.min(buffer.length, count - at);
        read(file, at, buffer, piece);
        crc.update(buffer, 0, piece);
        at += piece;
      }
      if ((int) crc.getValue() != parsed.bodyCrc) {
        throw broken(file, "the stub is damaged");
      }
    }
  }

  private static StorageException.Corrupt broken(DiskFile file, String found) {
    return new StorageException.Corrupt(
        file.path(), Math.max(0, file.size() - TRAILER_BYTES), found);
  }
}
