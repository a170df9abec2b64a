package io.widerow.storage.cassandra.maintenance;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// A name as one word of a line: bytes up to the space, DEL, `%` and `*` of its UTF-8 are `%XX`.
final class EscapedName {
  private EscapedName() {}

  static String of(String name) {
    StringBuilder word = new StringBuilder();
    name.codePoints()
        .forEach(c -> {
          if (c <= ' ' || c == 0x7f || c == '%' || c == '*') {
            word.append("%%%02X".formatted(c));
          } else {
            word.appendCodePoint(c);
          }
        });
    return word.toString();
  }

  /// @throws IllegalArgumentException when the word is not an escaped name
  static String parse(String word) {
    byte[] escaped = word.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream name = new ByteArrayOutputStream(escaped.length);
    for (int i = 0; i < escaped.length; i++) {
      if (escaped[i] != '%') {
        name.write(escaped[i]);
      } else if (i + 2 < escaped.length) {
        name.write(Integer.parseInt(word(escaped, i + 1), 16));
        i += 2;
      } else {
        throw new IllegalArgumentException("not an escaped name: " + word);
      }
    }
    try {
      ByteBuffer utf8 = ByteBuffer.wrap(name.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException bad) {
      throw new IllegalArgumentException("not an escaped name: " + word, bad);
    }
  }

  private static String word(byte[] escaped, int at) {
    return new String(escaped, at, 2, StandardCharsets.ISO_8859_1);
  }
}
