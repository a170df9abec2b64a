package io.widerow.ingest.receive.fluent;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The option at the end of a message. Unknown members are ignored, and so is `size`, because the
/// events are counted anyway.
///
/// - Threads: any; immutable if the chunk is not changed.
///
/// @param chunk id of the message, which is acknowledged with it; null for none
/// @param coding how the entries are packed
/// @param signal what Fluent Bit packs as entries: 0 for logs
@SuppressWarnings("ArrayRecordComponent") // never compared
record FluentOption(byte @Nullable [] chunk, Coding coding, long signal) {
  private static final int CHUNK_BYTES_MAX = 1 << 10;
  private static final byte[] CHUNK = ascii("chunk");
  private static final byte[] COMPRESSED = ascii("compressed");
  private static final byte[] SIGNAL = ascii("fluent_signal");
  private static final byte[] ACK = ascii("ack");
  private static final byte[] DURABILITY = ascii("durability");
  private static final byte[] DISK = ascii("disk");
  private static final FluentOption NONE = new FluentOption(null, Coding.PLAIN, 0);

  /// The packing of entries.
  enum Coding {
    PLAIN,
    GZIP,
    ZSTD
  }

  static FluentOption none() {
    return NONE;
  }

  static FluentOption read(MsgpackReader in) throws Bad {
    if (in.next() == Kind.NIL) {
      return NONE;
    }
    if (in.kind != Kind.MAP) {
      throw in.bad("the option is no map, but %s".formatted(in.kind));
    }
    byte[] chunk = null;
    Coding coding = Coding.PLAIN;
    long signal = 0;
    for (long left = in.length; left > 0; left--) {
      Kind _ = in.next();
      boolean isChunk = in.is(CHUNK);
      boolean isCoding = in.is(COMPRESSED);
      boolean isSignal = in.is(SIGNAL);
      in.at = in.start;
      in.skip();
      int value = in.at;
      if (isChunk && in.next() != Kind.NIL) {
        chunk = chunk(in);
      } else if (isCoding && in.next() != Kind.NIL) {
        coding = coding(in);
      } else if (isSignal && in.next() == Kind.WHOLE) {
        signal = in.whole;
      }
      in.at = value;
      in.skip();
    }
    return new FluentOption(chunk, coding, signal);
  }

  private static byte @Nullable [] chunk(MsgpackReader in) throws Bad {
    boolean text = in.kind == Kind.TEXT || in.kind == Kind.BYTES;
    if (!text || in.length > CHUNK_BYTES_MAX) {
      throw in.bad("chunk is no text of up to %d bytes".formatted(CHUNK_BYTES_MAX));
    }
    int length = (int) in.length;
    return length == 0 ? null : Arrays.copyOfRange(in.bytes(), in.offset, in.offset + length);
  }

  private static Coding coding(MsgpackReader in) throws Bad {
    if (in.is(ascii("gzip"))) {
      return Coding.GZIP;
    }
    if (in.is(ascii("zstd"))) {
      return Coding.ZSTD;
    }
    if (in.is(ascii("text")) || in.is(ascii(""))) {
      return Coding.PLAIN;
    }
    throw in.bad("compressed is neither gzip nor zstd");
  }

  /// The acknowledgement of a chunk.
  static byte[] ack(byte[] chunk) {
    return ack(chunk, 0x81).toByteArray();
  }

  /// The acknowledgement of a chunk that is durable on this machine only, though it was to be on a
  /// cluster. It reports that in a member that other senders ignore.
  static byte[] ackOfKept(byte[] chunk) {
    ByteArrayOutputStream out = ack(chunk, 0x82);
    FluentHandshake.text(out, DURABILITY);
    FluentHandshake.text(out, DISK);
    return out.toByteArray();
  }

  private static ByteArrayOutputStream ack(byte[] chunk, int map) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(map);
    FluentHandshake.text(out, ACK);
    FluentHandshake.text(out, chunk);
    return out;
  }
}
