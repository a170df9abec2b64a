package io.widerow.ingest.receive.fluent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

/// Messages of Fluent Forward, written with the library of msgpack's authors.
final class FluentMessages {
  private FluentMessages() {}

  /// A time of extension 0.
  record Time(long seconds, long nanos) {}

  /// Bytes that are written as they are.
  record Raw(List<Byte> bytes) {
    static Raw of(byte[] bytes) {
      List<Byte> list = new java.util.ArrayList<>();
      for (byte each : bytes) {
        list.add(each);
      }
      return new Raw(list);
    }
  }

  static byte[] pack(@Nullable Object... values) {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      for (Object value : values) {
        put(packer, value);
      }
      return packer.toByteArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static void put(MessagePacker packer, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> packer.packNil();
      case Boolean truth -> packer.packBoolean(truth);
      case Integer whole -> packer.packInt(whole);
      case Long whole -> packer.packLong(whole);
      case java.math.BigInteger whole -> packer.packBigInteger(whole);
      case Double number -> packer.packDouble(number);
      case Float number -> packer.packFloat(number);
      case String text -> packer.packString(text);
      case byte[] bytes -> packer.packBinaryHeader(bytes.length).writePayload(bytes);
      case Time time -> {
        byte[] payload =
            ByteBuffer.allocate(8).putInt((int) time.seconds).putInt((int) time.nanos).array();
        packer.packExtensionTypeHeader((byte) 0, 8).writePayload(payload);
      }
      case Raw raw -> {
        byte[] bytes = new byte[raw.bytes.size()];
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = raw.bytes.get(i);
        }
        packer.writePayload(bytes);
      }
      case List<?> list -> {
        packer.packArrayHeader(list.size());
        for (Object each : list) {
          put(packer, each);
        }
      }
      case Map<?, ?> map -> {
        packer.packMapHeader(map.size());
        for (Map.Entry<?, ?> each : map.entrySet()) {
          put(packer, each.getKey());
          put(packer, each.getValue());
        }
      }
      default -> throw new IllegalArgumentException(String.valueOf(value.getClass()));
    }
  }

  static byte[] gzip(byte[]... members) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] member : members) {
      try (GZIPOutputStream out = new GZIPOutputStream(all)) {
        out.write(member);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }
    return all.toByteArray();
  }

  static byte[] join(byte[]... all) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] each : all) {
      joined.writeBytes(each);
    }
    return joined.toByteArray();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
