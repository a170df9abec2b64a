package io.widerow.ingest.receive.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.tag;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static io.widerow.ingest.decode.ProtobufBytes.varint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.xerial.snappy.Snappy;

/// Writes messages of remote write field by field, as their schemas have them, without any code of
/// the decoder.
public final class Messages {
  /// The NaN that ends a series.
  static final double STALE = Double.longBitsToDouble(0x7ff0_0000_0000_0002L);

  private Messages() {}

  static byte[] raw(int field, String bytes) {
    return message(field, bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  static byte[] zigzag(int field, long value) {
    return number(field, value << 1 ^ value >> 63);
  }

  static byte[] fixed32(int field, int value) {
    byte[] four = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
    return join(tag(field, 5), four);
  }

  private static byte[] eight(long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  static byte[] fraction(int field, double value) {
    return fixed64(field, Double.doubleToRawLongBits(value));
  }

  static byte[] fractions(int field, double... values) {
    byte[][] all = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      all[i] = eight(Double.doubleToRawLongBits(values[i]));
    }
    return message(field, all);
  }

  static byte[] zigzags(int field, long... values) {
    byte[][] all = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      all[i] = varint(values[i] << 1 ^ values[i] >> 63);
    }
    return message(field, all);
  }

  static byte[] span(int field, int offset, int length) {
    return message(field, zigzag(1, offset), number(2, length));
  }

  /// A sample; as clients do it, without the fields that are 0.
  public static byte[] sample(double value, long millis) {
    byte[] number = Double.doubleToRawLongBits(value) == 0 ? new byte[0] : fraction(1, value);
    return message(2, number, millis == 0 ? new byte[0] : number(2, millis));
  }

  public static byte[] label(String name, String value) {
    return message(1, text(1, name), text(2, value));
  }

  /// Labels of version 1.0, in the order given.
  public static byte[] labels(String... pairs) {
    byte[][] all = new byte[pairs.length / 2][];
    for (int i = 0; i < all.length; i++) {
      all[i] = label(pairs[2 * i], pairs[2 * i + 1]);
    }
    return join(all);
  }

  /// A series of version 1.0.
  public static byte[] series(byte[]... parts) {
    return message(1, parts);
  }

  /// A description of version 1.0.
  public static byte[] description(int type, String name, String help, String unit) {
    byte[] own = text(2, name);
    return message(3, type == 0 ? new byte[0] : number(1, type), own, text(4, help), text(5, unit));
  }

  public static byte[] packed(byte[] message) {
    try {
      return Snappy.compress(message);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /// The symbols of a request of version 2.0.
  public static final class Symbols {
    private final Map<String, Integer> symbols = new LinkedHashMap<>();

    public Symbols() {
      symbols.put("", 0);
    }

    int of(String text) {
      return symbols.computeIfAbsent(text, unknown -> symbols.size());
    }

    /// Labels, in the order given.
    public byte[] labels(String... texts) {
      byte[][] all = new byte[texts.length][];
      for (int i = 0; i < texts.length; i++) {
        all[i] = varint(of(texts[i]));
      }
      return message(1, all);
    }

    byte[] description(int type, String help, String unit) {
      return message(5, number(1, type), number(3, of(help)), number(4, of(unit)));
    }

    /// The table, which comes before or after the series.
    public byte[] table() {
      byte[][] all = symbols.keySet().stream().map(each -> text(4, each)).toArray(byte[][]::new);
      return join(all);
    }
  }

  /// A series of version 2.0.
  public static byte[] seriesTwo(byte[]... parts) {
    return message(5, parts);
  }
}
