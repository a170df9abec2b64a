package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/// The key of a request that is done once, however often it is sent.
///
/// - Threads: any; immutable.
public final class RequestKey {
  /// Name of the key in the custom payload of a request.
  public static final String NAME = "idempotency-key";

  private static final int BYTES_MAX = 64;

  private final byte[] place;
  private final byte[] statement;
  private final String shown;

  private RequestKey(byte[] place, byte[] statement, String shown) {
    this.place = place;
    this.statement = statement;
    this.shown = shown;
  }

  /// @param sender the client of the key; keys of different senders differ
  /// @param key as it was given
  /// @param statement identifies the statement with its values
  /// @throws CqlException when it is no key
  public static RequestKey of(String sender, byte[] key, byte[] statement) {
    String shown = shown(key);
    if (key.length == 0 || key.length > BYTES_MAX) {
      throw CqlException.invalid(
          "%s has 1 to %d bytes, got %d: %s".formatted(NAME, BYTES_MAX, key.length, shown));
    }
    byte[] name = sender.getBytes(StandardCharsets.UTF_8);
    byte[] place =
        ByteBuffer.allocate(Short.BYTES + name.length + key.length)
            .putShort((short) name.length)
            .put(name)
            .put(key)
            .array();
    return new RequestKey(place, statement.clone(), shown);
  }

  /// A key as people read it: texts as they are, else the bytes, the first ones of many.
  private static String shown(byte[] key) {
    boolean isText = true;
    for (byte each : key) {
      isText &= each > ' ' && each < 0x7f;
    }
    byte[] first = Arrays.copyOf(key, Math.min(key.length, BYTES_MAX));
    String text =
        isText
            ? "'" + new String(first, StandardCharsets.US_ASCII) + "'"
            : "0x" + HexFormat.of().formatHex(first);
    return first.length < key.length ? text + "..." : text;
  }

  /// Where the request is kept: its key with its sender.
  public ByteBuffer place() {
    return ByteBuffer.wrap(place).asReadOnlyBuffer();
  }

  /// The identity of its statement.
  public ByteBuffer statement() {
    return ByteBuffer.wrap(statement).asReadOnlyBuffer();
  }

  /// The key as it was given, for messages.
  @Override
  public String toString() {
    return shown;
  }
}
