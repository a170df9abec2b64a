package io.widerow.cli.ship;

import io.widerow.ingest.decode.Sha256;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// A piece of one file, ready to be sent. It is sent again with the same bytes and the same key
/// until it is acknowledged.
///
/// - Threads: any; it never changes.
final class FileBatch implements Delivery {
  /// The file that it is of, as messages name it.
  final String source;

  /// The type of its records that name none.
  final String type;

  /// Where it begins in the file, in bytes, and where it ends.
  final long from;

  final long until;

  /// The clock when it was made, in nanoseconds since the Unix epoch.
  final long nowNanos;

  /// Its idempotency key.
  final String key;

  /// JSON lines, one for each of its records.
  final byte[] json;

  final int events;

  /// The parts of each record, to send one that is refused in another form.
  final RecordForms forms;

  /// The time that the next record has if it has none itself.
  final long timeAfter;

  /// The bytes before `until`, up to [Checkpoint#TAIL_BYTES_MAX].
  final byte[] tailAfter;

  /// Whether the file had more when it was made.
  final boolean full;

  FileBatch(
      String source,
      String type,
      long from,
      long nowNanos,
      String key,
      RecordReader.Made made,
      byte[] tailAfter,
      boolean full) {
    this.source = source;
    this.type = type;
    this.from = from;
    this.until = from + made.consumed;
    this.nowNanos = nowNanos;
    this.key = key;
    this.json = made.json;
    this.events = made.events;
    this.forms = made.forms;
    this.timeAfter = made.timeBefore;
    this.tailAfter = tailAfter;
    this.full = full;
  }

  @Override
  public String parameters() {
    return "type=" + URLEncoder.encode(type, StandardCharsets.UTF_8);
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public byte[] json() {
    return json;
  }

  @Override
  public long fileBytes() {
    return until - from;
  }

  @Override
  public String place(int index) {
    return "record %d after byte %d of %s".formatted(index + 1, from, source);
  }

  @Override
  public Remedy remedy(BatchResponse answer) {
    return SecondTry.remedy(this, answer);
  }

  /// The key of a batch: it follows from the place in the file and from the bytes there.
  ///
  /// @param salt keeps the keys of one checkpoint, or of one import, apart from all others
  /// @param raw bytes of the file, in `[0, length)`
  static String key(String salt, long inode, int generation, long from, byte[] raw, int length) {
    MessageDigest digest = Sha256.start();
    byte[] text = salt.getBytes(StandardCharsets.UTF_8);
    ByteBuffer place = ByteBuffer.allocate(2 * Integer.BYTES + 3 * Long.BYTES);
    place.putInt(text.length).putInt(generation).putLong(inode).putLong(from).putLong(length);
    digest.update(place.flip());
    digest.update(text);
    digest.update(raw, 0, length);
    return HexFormat.of().formatHex(digest.digest());
  }
}
