package io.widerow.loadgen.wire;

import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/// Header blocks of HTTP/2 (RFC 7541), as far as calls need them: written as literals without an
/// index, read without a dynamic table, which the connection's settings rule out. Of the static
/// table only the status is known; other names in it are skipped, and so are values in Huffman
/// code.
///
/// ```
///  1iiiiiii               indexed
///  01iiiiii value         literal; index 0: the name comes first
///  0000iiii, 0001iiii     literal that is not indexed
///  001sssss               new size of the dynamic table
///  string:  hlllllll text     h: in Huffman code
/// ```
final class HeaderBlock {
  private static final int STATUS_FIRST = 8; // of the static table, with these values
  private static final String[] STATUS = {"200", "204", "206", "304", "400", "404", "500"};

  private HeaderBlock() {}

  /// @param headers name, value, name, value; lower-case names, values below 127 bytes
  static byte[] write(String... headers) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < headers.length; i += 2) {
      out.write(0);
      string(headers[i], out);
      string(headers[i + 1], out);
    }
    return out.toByteArray();
  }

  private static void string(String text, ByteArrayOutputStream out) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length >= 127) {
      throw new IllegalArgumentException("a header of " + bytes.length + " bytes: " + text);
    }
    out.write(bytes.length);
    out.writeBytes(bytes);
  }

  /// The headers that can be read, the status as `:status`.
  static Map<String, String> read(ByteBuffer block) throws ProtocolException {
    Map<String, String> headers = new HashMap<>();
    while (block.hasRemaining()) {
      int first = block.get() & 0xff;
      if (first >= 0x80) {
        int index = number(first, 7, block);
        put(headers, name(index), status(index));
      } else if (first >> 5 == 1) {
        number(first, 5, block);
      } else {
        int index = number(first, first >= 0x40 ? 6 : 4, block);
        String name = index == 0 ? string(block) : name(index);
        put(headers, name, string(block));
      }
    }
    return headers;
  }

  private static void put(Map<String, String> headers, String name, String value) {
    if (!name.isEmpty()) {
      headers.put(name, value);
    }
  }

  private static String name(int index) {
    return status(index).isEmpty() ? "" : ":status";
  }

  private static String status(int index) {
    int place = index - STATUS_FIRST;
    return place >= 0 && place < STATUS.length ? STATUS[place] : "";
  }

  private static int number(int first, int bits, ByteBuffer block) throws ProtocolException {
    int mask = (1 << bits) - 1;
    int number = first & mask;
    if (number < mask) {
      return number;
    }
    for (int shift = 0; shift < 21 && block.hasRemaining(); shift += 7) {
      int next = block.get();
      number += (next & 0x7f) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new ProtocolException("a header block with a number without an end");
  }

  private static String string(ByteBuffer block) throws ProtocolException {
    if (!block.hasRemaining()) {
      throw new ProtocolException("a header block that is cut");
    }
    int first = block.get() & 0xff;
    int length = number(first, 7, block);
    if (length > block.remaining()) {
      throw new ProtocolException("a header block that is cut");
    }
    byte[] bytes = new byte[length];
    block.get(bytes);
    return first >= 0x80 ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
