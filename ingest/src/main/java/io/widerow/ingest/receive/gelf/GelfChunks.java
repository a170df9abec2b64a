package io.widerow.ingest.receive.gelf;

import io.widerow.ingest.decode.IncomingBatch;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Puts GELF messages together from their chunks, which come in any order and some of them twice. A
/// message that is not whole after [#WHOLE_NANOS] is refused. What waits is bounded for each sender
/// and in all: a sender that exceeds its share loses its oldest message, and beyond the bound for
/// all the oldest of all goes.
///
/// ```
///   1e 0f | id, 8 bytes | index, 1 | count, 1..128 | a piece of the message
/// ```
///
/// - Threads: one.
/// - Memory: at most [#BYTES_MAX] of pieces, and [#MESSAGES_MAX] messages.
final class GelfChunks {
  static final int HEADER_BYTES = 12;
  static final int COUNT_MAX = 128;
  static final int SENDER_BYTES_MAX = 4 << 20;
  static final int BYTES_MAX = 16 << 20;
  static final int MESSAGES_MAX = 4_096;
  static final long WHOLE_NANOS = 5_000_000_000L;

  private final LongSupplier nanoTime;
  private final Map<Key, Message> messages = new LinkedHashMap<>(); // oldest first
  private final Map<Key, Long> done = new LinkedHashMap<>(); // whole ones, and when they were
  private final Map<InetAddress, Integer> ofSender = new HashMap<>(); // bytes
  private int bytes;

  /// A message of a sender.
  private record Key(InetAddress sender, long id) {}

  /// The pieces of a message so far.
  private static final class Message {
    final long since;
    final byte[][] pieces;
    int missing;
    int bytes;

    Message(long since, int count) {
      this.since = since;
      this.pieces = new byte[count][];
      this.missing = count;
    }
  }

  /// @param nanoTime a clock that only goes forward
  GelfChunks(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  static boolean isChunk(byte[] datagram, int length) {
    return length >= 2 && datagram[0] == 0x1e && datagram[1] == 0x0f;
  }

  /// Bytes of pieces that wait.
  int bytes() {
    return bytes;
  }

  /// Takes a chunk. Messages that are given up are refused in the batch.
  ///
  /// @return the whole message when this was its last chunk; null else
  byte @Nullable [] take(byte[] datagram, int length, InetAddress sender, IncomingBatch batch) {
    long now = nanoTime.getAsLong();
    expire(now, batch);
    int index = length < HEADER_BYTES ? 0 : datagram[10] & 0xff;
    int count = length < HEADER_BYTES ? 0 : datagram[11] & 0xff;
    if (count == 0 || count > COUNT_MAX || index >= count) {
      batch.refuse(
          length < HEADER_BYTES
              ? "chunk at byte 0: it has %d bytes, its header 12".formatted(length)
              : "chunk at byte 10: number %d of %d, at most 128 are allowed"
                  .formatted(index, count));
      return null;
    }
    Key key = new Key(sender, id(datagram));
    if (done.containsKey(key)) {
      return null; // once more
    }
    @Nullable Message message = messages.get(key);
    if (message == null) {
      message = new Message(now, count);
      messages.put(key, message);
    }
    if (message.pieces.length != count) {
      giveUp(key, batch, "chunk at byte 11: two counts for one message");
      return null;
    }
    if (message.pieces[index] != null) {
      return null; // once more
    }
    int size = length - HEADER_BYTES;
    byte[] piece = new byte[size];
    System.arraycopy(datagram, HEADER_BYTES, piece, 0, size);
    message.pieces[index] = piece;
    message.missing--;
    message.bytes += size;
    bytes += size;
    ofSender.merge(sender, size, Integer::sum);
    if (message.missing == 0) {
      remove(key, message);
      done.put(key, now);
      return joined(message);
    }
    bound(sender, batch);
    return null;
  }

  private static long id(byte[] datagram) {
    long id = 0;
    for (int i = 2; i < 10; i++) {
      id = (id << Byte.SIZE) | (datagram[i] & 0xff);
    }
    return id;
  }

  private static byte[] joined(Message message) {
    byte[] whole = new byte[message.bytes];
    int at = 0;
    for (byte[] piece : message.pieces) {
      System.arraycopy(piece, 0, whole, at, piece.length);
      at += piece.length;
    }
    return whole;
  }

  private void expire(long now, IncomingBatch batch) {
    while (!messages.isEmpty()) {
      Map.Entry<Key, Message> oldest = messages.entrySet().iterator().next();
      if (now - oldest.getValue().since < WHOLE_NANOS) {
        break;
      }
      Message late = oldest.getValue();
      int came = late.pieces.length - late.missing;
      giveUp(
          oldest.getKey(),
          batch,
          "chunks: %d of %d arrived within 5 s".formatted(came, late.pieces.length));
    }
    Iterator<Long> whole = done.values().iterator();
    while (whole.hasNext() && (now - whole.next() >= WHOLE_NANOS || done.size() > MESSAGES_MAX)) {
      whole.remove();
    }
  }

  private void bound(InetAddress sender, IncomingBatch batch) {
    while (ofSender.getOrDefault(sender, 0) > SENDER_BYTES_MAX) {
      giveUp(oldestOf(sender), batch, "chunks: the waiting chunks of this sender exceed 4 MiB");
    }
    while (bytes > BYTES_MAX || messages.size() > MESSAGES_MAX) {
      giveUp(messages.keySet().iterator().next(), batch, "chunks: too many wait");
    }
  }

  private Key oldestOf(InetAddress sender) {
    for (Key key : messages.keySet()) {
      if (key.sender().equals(sender)) {
        return key;
      }
    }
    throw new IllegalStateException("no message holds the bytes of " + sender);
  }

  private void giveUp(Key key, IncomingBatch batch, String why) {
    @Nullable Message message = messages.get(key);
    if (message != null) {
      remove(key, message);
      batch.refuse(why);
    }
  }

  private void remove(Key key, Message message) {
    messages.remove(key);
    bytes -= message.bytes;
    ofSender.computeIfPresent(
        key.sender(), (_, held) -> held == message.bytes ? null : held - message.bytes);
  }
}
