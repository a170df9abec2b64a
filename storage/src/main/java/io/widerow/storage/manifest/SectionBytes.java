package io.widerow.storage.manifest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Writes and reads the bytes of edits and sections of the manifest: big-endian, as
/// `java.io.DataOutput` writes them.
final class SectionBytes {
  private SectionBytes() {}

  /// Writes the content.
  @FunctionalInterface
  interface Writing {
    void write(DataOutputStream out) throws IOException;
  }

  /// Reads the content, or a part of it.
  @FunctionalInterface
  interface Reading<T> {
    T read(DataInputStream in) throws IOException;
  }

  static byte[] of(Writing content) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      content.write(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // a byte array takes everything
    }
    return bytes.toByteArray();
  }

  /// Reads all bytes.
  ///
  /// @param what the content, for messages
  /// @throws IOException when the bytes are no such content
  static <T> T read(String what, byte[] bytes, Reading<T> content) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      T read = content.read(in);
      if (in.available() > 0) {
        throw new IOException("%s: %d bytes after the end".formatted(what, in.available()));
      }
      return read;
    } catch (IllegalArgumentException refused) {
      throw new IOException(what + ": " + refused.getMessage(), refused);
    }
  }

  static <T> List<T> list(DataInputStream in, int count, Reading<T> each) throws IOException {
    List<T> list = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      list.add(each.read(in));
    }
    return list;
  }

  /// Reads a count of four bytes.
  static int count(DataInputStream in, int most) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > most) {
      throw new IOException("count %d, at most %d are possible".formatted(count, most));
    }
    return count;
  }

  /// Writes the length of a text in one byte, and the text.
  static void putShort(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeByte(utf8.length);
    out.write(utf8);
  }

  /// Writes the length of a text in two bytes, and the text.
  static void put(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(utf8.length);
    out.write(utf8);
  }

  static String shortText(DataInputStream in) throws IOException {
    return text(in, in.readUnsignedByte());
  }

  static String text(DataInputStream in) throws IOException {
    return text(in, in.readUnsignedShort());
  }

  private static String text(DataInputStream in, int length) throws IOException {
    byte[] utf8 = new byte[length];
    in.readFully(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
