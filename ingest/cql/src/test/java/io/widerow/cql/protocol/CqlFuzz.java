package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.widerow.cql.CqlException;
import io.widerow.cql.server.QueryOptionsFuzz;
import io.widerow.ingest.intake.ByteCredit;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/// Fuzz targets for frames: whatever comes is cut into requests or refused with a sentence, all
/// credit is given back, and segments contain exactly the bytes put into them.
public final class CqlFuzz {
  private static final long CREDIT = 1 << 22;
  private static final int BODY_MAX = 1 << 12;

  private CqlFuzz() {}

  public static List<byte[]> seeds() {
    return Stream.of(
            "040000010100000016000100 0b43514c5f56455253494f4e0005332e302e30",
            "0500000507000000140000000753454c454354 20310001000000000000",
            "0400fffe070000002600000004 55534520000141000200000004000000010000000500ffff0000000141",
            "040100000500000004000000 00",
            "0404000007000000080001000178000000 00",
            "05000001090000000c00000004 5553452000000000",
            "0500000a0a0000002c00100000000000000000000000000000000000100000000000000000000000000000"
                + "00000001000000000000",
            "42000000050000000003000000050000000004000000057fffffff")
        .map(hex -> HexFormat.of().parseHex(hex.replace(" ", "")))
        .toList();
  }

  /// The first byte decides how the others come.
  public static void frames(byte[] input) {
    if (input.length == 0) {
      return;
    }
    ByteCredit credit = new ByteCredit(CREDIT);
    FrameReader reader = new FrameReader(credit, BODY_MAX, 0);
    EmbeddedChannel channel = new EmbeddedChannel(reader);
    boolean lz4 = (input[0] & 1) != 0;
    boolean segments = (input[0] & 2) != 0;
    int pieces = 1 + (input[0] >>> 4 & 7);
    ByteBuf bytes = Unpooled.copiedBuffer(input);
    if (segments) {
      reader.beginSegments(lz4);
      if ((input[0] & 4) != 0) { // contents of sound segments
        ByteBuf sound = Unpooled.buffer();
        new SegmentCodec(lz4 ? new Lz4() : null).write(bytes, true, sound);
        bytes = sound;
      }
    } else if (lz4) {
      reader.beginCompression();
    }
    try {
      while (bytes.isReadable()) {
        int piece = Math.min(bytes.readableBytes(), 1 + input.length / pieces);
        channel.writeInbound(bytes.readBytes(piece));
      }
    } catch (DecoderException refused) {
      if (!(refused.getCause() instanceof CqlException)) {
        throw refused;
      }
    }
    Request request = channel.readInbound();
    while (request != null) {
      read(request);
      credit.release(request.credit());
      request = channel.readInbound();
    }
    try {
      channel.finishAndReleaseAll();
    } catch (DecoderException again) {
      if (!(again.getCause() instanceof CqlException)) {
        throw again;
      }
    }
    if (credit.bytesUsed() != 0) {
      throw new AssertionError(credit.bytesUsed() + " bytes of credit are held");
    }
  }

  private static void read(Request request) {
    try {
      BodyReader body = new BodyReader(request.body());
      if (request.opcode() != null) {
        QueryOptionsFuzz.read(request.opcode(), body, request.version());
      }
    } catch (CqlException refused) {
      if (refused.sentence().length() < 5) {
        throw new AssertionError("a refusal that says nothing", refused);
      }
    } finally {
      request.body().release();
    }
  }
}
