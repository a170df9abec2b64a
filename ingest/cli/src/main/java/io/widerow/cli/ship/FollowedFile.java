package io.widerow.cli.ship;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.Utf16Text;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// One file that is followed, by its identity: under a new name it is the same.
///
/// ```
///   0            acked             position                      size
///   |  acknowledged | batches made     | not read yet               |
///           tail <--+          tail <--+   the bytes before, to see that it is still the same
/// ```
///
/// - Threads: one.
/// - Memory: an open file until [#closeFile].
final class FollowedFile {
  final Path name;
  final FileLabels labels;
  FileIdentity identity;
  int generation;

  /// Where it is now; null when no name leads to it any more.
  @Nullable Path path;

  /// Of the first bytes that were read.
  FileFingerprint first = FileFingerprint.EMPTY;

  long position;
  byte[] tail = {};
  long timeNanos = TimeParser.NONE;

  long acked;
  byte[] ackedTail = {};
  long ackedTimeNanos = TimeParser.NONE;

  /// The batch that is in the checkpoint.
  @Nullable FileBatch underWay;

  /// Read only when this one has been read to its end: the file that had its name before.
  @Nullable FollowedFile before;

  long sizeBytes;
  FileTime changed = FileTime.fromMillis(0);
  long grownNanos; // System.nanoTime() when it last grew
  long seenSeconds;
  boolean atEnd;

  /// Whether it is gone, and was read to its end.
  boolean done;

  private static final byte[] NO_ORDER = {};

  private @Nullable FileChannel channel;

  FollowedFile(Path name, FileLabels labels, FileIdentity identity) {
    this.name = name;
    this.labels = labels;
    this.identity = identity;
    this.path = name;
  }

  @Override
  public String toString() {
    Path now = path;
    return now == null || now.equals(name) ? name.toString() : name + " (now " + now + ")";
  }

  boolean isOpen() {
    return channel != null;
  }

  /// Begins at `offset`.
  void start(long offset, byte[] newTail, long newTimeNanos) {
    position = offset;
    acked = offset;
    tail = newTail;
    ackedTail = newTail;
    timeNanos = newTimeNanos;
    ackedTimeNanos = newTimeNanos;
    atEnd = false;
  }

  /// Begins again, because the file was truncated.
  void restart() {
    generation++;
    first = FileFingerprint.EMPTY;
    underWay = null;
    start(0, new byte[0], TimeParser.NONE);
  }

  /// Opens it, unless it is open: from then on a rename changes nothing. Without this, what asks
  /// for its bytes cannot tell a file that is another one from one that is renamed just now.
  ///
  /// @return false when its path leads to another file, or to none
  boolean canRead() throws IOException {
    try {
      return file() != null;
    } catch (NoSuchFileException renamed) {
      return false;
    }
  }

  /// The open file; null when no name leads to it and it is not open.
  private @Nullable FileChannel file() throws IOException {
    Path now = path;
    if (channel == null && now != null) {
      FileChannel opened = FileChannel.open(now, StandardOpenOption.READ);
      FileIdentity.Seen seen = FileIdentity.look(now);
      if (seen == null || !seen.identity().equals(identity)) {
        opened.close(); // renamed just now
        return null;
      }
      channel = opened;
    }
    return channel;
  }

  void closeFile() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }

  /// The size of a file that has no name any more.
  long openSizeBytes() throws IOException {
    FileChannel open = channel;
    return open == null ? position : open.size();
  }

  private static int readAt(FileChannel file, byte[] into, int count, long offset)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(into, 0, count);
    while (buffer.hasRemaining()) {
      int read = file.read(buffer, offset + buffer.position());
      if (read < 0) {
        break;
      }
    }
    return buffer.position();
  }

  /// Whether the bytes before `offset` are these. They are not when the file was truncated and has
  /// grown again, or is another one.
  boolean hasTail(long offset, byte[] expected) throws IOException {
    FileChannel file = file();
    if (file == null || offset < expected.length) {
      return false;
    }
    byte[] found = new byte[expected.length];
    int count = readAt(file, found, found.length, offset - expected.length);
    return count == found.length && Arrays.equals(found, expected);
  }

  /// Whether the first bytes are these.
  boolean hasFirst(FileFingerprint expected) throws IOException {
    FileChannel file = file();
    byte[] found = new byte[expected.bytes()];
    return file != null
        && readAt(file, found, found.length, 0) == found.length
        && FileFingerprint.of(found, found.length).equals(expected);
  }

  /// The file changed in a way that no writer at its end can.
  static final class ChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    ChangedException() {
      super("truncated");
    }
  }

  /// The next batch; null when there is no whole record yet.
  ///
  /// @param buffer of [RecordFormat#batchBytes] and [Swar#SLACK_BYTES] bytes
  /// @param flush whether an open record at the end of the file counts as complete
  /// @throws ChangedException when the file is not what it was
  @Nullable FileBatch next(
      RecordReader reader, byte[] buffer, String salt, long nowNanos, boolean flush)
      throws IOException {
    FileChannel file = file();
    if (file == null) {
      return null;
    }
    int room = buffer.length - Swar.SLACK_BYTES;
    int length = readAt(file, buffer, room, position);
    if (!hasTail(position, tail)) { // after the read: so it holds for the bytes read
      throw new ChangedException();
    }
    boolean all = length < room;
    byte[] order = order(file);
    RecordReader.Made made;
    if (order.length == 0) {
      made = reader.read(buffer, length, labels, timeNanos, nowNanos, flush && all);
    } else {
      byte[] text = new byte[Utf16Text.utf8Bytes(length) + Swar.SLACK_BYTES];
      int count = Utf16Text.toUtf8(buffer, length, Utf16Text.isBigEndian(order), text);
      made = reader.read(text, count, labels, timeNanos, nowNanos, flush && all);
      made = made.of(Utf16Text.rawBytes(text, made.consumed));
    }
    atEnd = all && !made.limited;
    if (made.consumed == 0) {
      return null;
    }
    return advance(made, buffer, salt, nowNanos, made.consumed < length && !atEnd);
  }

  /// The byte order mark of a file of UTF-16; empty for another one.
  private static byte[] order(FileChannel file) throws IOException {
    byte[] first = new byte[2];
    return Utf16Text.isMarked(first, readAt(file, first, first.length, 0)) ? first : NO_ORDER;
  }

  /// Whether the unread bytes end with a newline; true when there are none.
  boolean endsWithNewline() throws IOException {
    FileChannel file = file();
    if (file == null || sizeBytes <= position) {
      return true;
    }
    byte[] order = order(file);
    int width = Math.max(1, order.length);
    byte[] last = new byte[width];
    return readAt(file, last, width, sizeBytes - width) < width || isNewline(last, 0, order);
  }

  /// Whether a character is a newline.
  ///
  /// @param order see [#order]
  private static boolean isNewline(byte[] bytes, int at, byte[] order) {
    if (order.length == 0) {
      return bytes[at] == '\n';
    }
    int low = Utf16Text.isBigEndian(order) ? 1 : 0;
    return bytes[at + low] == '\n' && bytes[at + 1 - low] == 0;
  }

  private FileBatch advance(
      RecordReader.Made made, byte[] buffer, String salt, long nowNanos, boolean full)
      throws IOException {
    int count = made.consumed;
    byte[] tailAfter = tailAfter(tail, buffer, count);
    String key = FileBatch.key(salt, identity.inode(), generation, position, buffer, count);
    FileBatch batch =
        new FileBatch(
            name.toString(), labels.type(), position, nowNanos, key, made, tailAfter, full);
    tail = tailAfter;
    position += count;
    timeNanos = made.timeBefore;
    if (first.bytes() < FileFingerprint.BYTES_MAX) {
      fingerprint();
    }
    return batch;
  }

  private void fingerprint() throws IOException {
    FileChannel file = file();
    byte[] bytes = new byte[(int) Math.min(FileFingerprint.BYTES_MAX, position)];
    if (file != null && readAt(file, bytes, bytes.length, 0) == bytes.length) {
      first = FileFingerprint.of(bytes, bytes.length);
    }
  }

  private static byte[] tailAfter(byte[] before, byte[] read, int count) {
    int fresh = Math.min(count, Checkpoint.TAIL_BYTES_MAX);
    int kept = Math.min(before.length, Checkpoint.TAIL_BYTES_MAX - fresh);
    byte[] after = new byte[kept + fresh];
    System.arraycopy(before, before.length - kept, after, 0, kept);
    System.arraycopy(read, count - fresh, after, kept, fresh);
    return after;
  }

  boolean isShorterThan(long bytes) throws IOException {
    FileChannel file = file();
    return file == null || file.size() < bytes;
  }

  /// Whether it begins as gzip or zstd do.
  boolean isCompressed() throws IOException {
    FileChannel file = file();
    byte[] magic = new byte[Packing.MAGIC_BYTES];
    return file != null && Packing.of(magic, readAt(file, magic, magic.length, 0)) != Packing.NONE;
  }

  /// The bytes before `offset` that a later run compares.
  byte[] tailAt(long offset) throws IOException {
    FileChannel file = file();
    byte[] bytes = new byte[(int) Math.min(Checkpoint.TAIL_BYTES_MAX, offset)];
    int count = file == null ? 0 : readAt(file, bytes, bytes.length, offset - bytes.length);
    return count == bytes.length ? bytes : new byte[0];
  }

  /// Where its last line begins, so that one in the making is not cut: after the last newline of
  /// the last MiB, else its end.
  long lastLineStart() throws IOException {
    FileChannel file = file();
    if (file == null) {
      return 0;
    }
    byte[] order = order(file);
    int width = Math.max(1, order.length);
    long size = file.size() / width * width;
    byte[] bytes = new byte[(int) Math.min(1 << 20, size)];
    int count = readAt(file, bytes, bytes.length, size - bytes.length) / width * width;
    for (int at = count; at > 0; at -= width) {
      if (isNewline(bytes, at - width, order)) {
        return size - bytes.length + at;
      }
    }
    return size;
  }

  /// The batch in progress when the run before ended, made again from the same bytes; null when
  /// they cannot be read any more.
  @Nullable FileBatch again(
      RecordReader reader, byte[] buffer, String salt, Checkpoint.UnderWay underWayBefore)
      throws IOException {
    FileChannel file = file();
    int count = (int) (underWayBefore.until() - position);
    byte[] bytes =
        count + Swar.SLACK_BYTES <= buffer.length ? buffer : new byte[count + Swar.SLACK_BYTES];
    if (file == null
        || readAt(file, bytes, count, position) < count
        || !FileBatch.key(salt, identity.inode(), generation, position, bytes, count)
            .equals(underWayBefore.key())) {
      return null;
    }
    byte[] order = order(file);
    RecordReader.Made made;
    if (order.length == 0) {
      made = reader.again(bytes, count, labels, timeNanos, underWayBefore.nowNanos());
    } else {
      byte[] text = new byte[Utf16Text.utf8Bytes(count) + Swar.SLACK_BYTES];
      int length = Utf16Text.toUtf8(bytes, count, Utf16Text.isBigEndian(order), text);
      made = reader.again(text, length, labels, timeNanos, underWayBefore.nowNanos());
      made = made.of(Utf16Text.rawBytes(text, made.consumed));
    }
    return made.consumed < count
        ? null
        : advance(made, bytes, salt, underWayBefore.nowNanos(), true);
  }

  /// The batch was acknowledged.
  void acknowledged(FileBatch batch) {
    if (batch == underWay) { // else the file was truncated in between
      underWay = null;
      acked = batch.until;
      ackedTail = batch.tailAfter;
      ackedTimeNanos = batch.timeAfter;
    }
  }

  /// The state for a later run.
  Checkpoint.Entry entry() {
    Path now = path;
    FileBatch batch = underWay;
    return new Checkpoint.Entry(
        (now == null ? name : now).toString(),
        name.toString(),
        identity,
        generation,
        first,
        acked,
        HexFormat.of().formatHex(ackedTail),
        ackedTimeNanos,
        sizeBytes,
        seenSeconds,
        false,
        batch == null ? null : new Checkpoint.UnderWay(batch.until, batch.nowNanos, batch.key));
  }
}
