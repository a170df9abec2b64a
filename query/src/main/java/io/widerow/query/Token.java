package io.widerow.query;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventOrder;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;

/// A position in the total order of events (by id, then type): the position of one event. As text
/// it is `w1.` and these bytes, big-endian, in URL-safe base64 without padding:
///
/// ```
///  0        8        16             16 + n
///  +--------+--------+-------- ~ ---+--------+
///  | idTime | idTail | type, n bytes| crc32c |     the checksum covers all bytes before it
///  +--------+--------+-------- ~ ---+--------+
/// ```
///
/// It refers to no state of a server, so it stays valid after a restart, sealing (flush) or merge
/// (compaction).
///
/// @param id the event's id
/// @param type the event's type, which breaks ties between equal ids
public record Token(EventId id, String type) {
  private static final String PREFIX = "w1.";
  private static final String TYPE_LEAST = "!";
  private static final int FIXED_BYTES = 2 * Long.BYTES + Integer.BYTES;

  public static Token of(EventView event) {
    return new Token(event.id(), event.type());
  }

  /// The position directly before the first event of an instant.
  public static Token before(long epochNanos) {
    return new Token(EventId.leastOf(epochNanos), TYPE_LEAST); // no event has this id
  }

  /// @throws QueryException.Refused when the text is not a token or was changed
  public static Token parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw refused(text, "a token starts with " + PREFIX);
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
    } catch (IllegalArgumentException notBase64) {
      throw refused(text, "it has an invalid character");
    }
    int typeBytes = bytes.length - FIXED_BYTES;
    if (typeBytes < 1 || typeBytes > EventLayout.TYPE_BYTES_MAX) {
      throw refused(text, "its length is wrong");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (buffer.getInt(bytes.length - Integer.BYTES) != checksum(bytes)) {
      throw refused(text, "its checksum is wrong: it was mistyped or cut off");
    }
    long time = buffer.getLong(0);
    long tail = buffer.getLong(Long.BYTES);
    if (!TimeUuid.isId(time, tail)) {
      throw refused(text, "no event can have its position");
    }
    EventId id = new EventId(time, tail);
    byte[] type = Arrays.copyOfRange(bytes, 2 * Long.BYTES, 2 * Long.BYTES + typeBytes);
    Token token = new Token(id, new String(type, StandardCharsets.UTF_8));
    if (!token.toString().equals(text)) {
      throw refused(text, "its encoding is not canonical");
    }
    return token;
  }

  private static QueryException.Refused refused(String text, String why) {
    return new QueryException.Refused("after", "not a token: " + text + " (" + why + ")");
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - Integer.BYTES);
    return (int) crc.getValue();
  }

  /// True when an event comes after this position in the given direction of reading.
  public boolean isBefore(EventView event, boolean descending) {
    int order = EventOrder.compare(event, id.time(), id.tail(), type);
    return descending ? order < 0 : order > 0;
  }

  /// Start of the position's 100 ns tick, in nanoseconds since the Unix epoch, clamped to the times
  /// that events can have.
  public long tickNanos() {
    long ticks = id.time() - TimeUuid.UNIX_EPOCH_TICKS;
    long limit = TimeUuid.NANOS_LIMIT / TimeUuid.NANOS_PER_TICK;
    return Math.clamp(ticks, 0, limit) * TimeUuid.NANOS_PER_TICK;
  }

  @Override
  public String toString() {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = ByteBuffer.allocate(FIXED_BYTES + utf8.length);
    buffer.putLong(id.time()).putLong(id.tail()).put(utf8);
    buffer.putInt(checksum(buffer.array()));
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
  }
}
