package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.schema.RequestKey;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.intake.ByteCredit;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Cuts the bytes of one connection into requests. It claims credit for a body before it waits for
/// the body; without credit, or if the body is too long, the body is skipped and the request is
/// refused.
///
/// - Threads: the event loop of the connection.
/// - Memory: the receiver owns a request and its credit; the memory of an incomplete request is
///   released when the connection ends.
public final class FrameReader extends ByteToMessageDecoder {
  public static final int VERSION_MIN = 3;
  public static final int VERSION_MAX = 5;
  static final int HEADER_BYTES = 9;
  static final int COMPRESSED = 0x01;
  private static final int STREAM_OFFSET = 2;
  private static final int OPCODE_OFFSET = 4;
  private static final int LENGTH_OFFSET = 5;

  /// Bytes claimed for each of the first bytes of a body: what a statement of many short constants
  /// becomes, which has a limited number of them.
  private static final long BYTES_PER_BYTE = 64;

  private static final long DENSE_BYTES = 256 << 10;

  /// Bytes claimed for each further byte, which is one of a long constant or value.
  private static final long BYTES_PER_LATER_BYTE = 12;

  private final ByteCredit credit;
  private final long paceBytes;
  private int bodyBytesMax;
  private @Nullable SegmentCodec segments; // null: frames stand alone
  private @Nullable Lz4 lz4; // of bodies
  private ByteBuf unfinished = Unpooled.EMPTY_BUFFER; // payloads of segments
  private boolean headed; // the header of a frame is read, and its credit claimed
  private long claimed;
  private @Nullable CqlException refusal; // of the frame whose header is read
  private long skipped; // bytes of its body that are still to come
  private long received; // since the pace was checked
  private boolean paced;

  /// @param bodyBytesMax largest body, until [#allow] changes it
  /// @param paceBytes of an unfinished body that must arrive in [FixedLimits#BODY_RATE_SECONDS]
  public FrameReader(ByteCredit credit, int bodyBytesMax, long paceBytes) {
    this.credit = credit;
    this.bodyBytesMax = bodyBytesMax;
    this.paceBytes = paceBytes;
  }

  /// Changes the largest body.
  public void allow(int bytesMax) {
    bodyBytesMax = bytesMax;
  }

  /// From the next byte on frames come in segments.
  ///
  /// @param compressed whether these are compressed
  public void beginSegments(boolean compressed) {
    segments = new SegmentCodec(compressed ? new Lz4() : null);
  }

  /// From the next frame on bodies may be compressed.
  public void beginCompression() {
    lz4 = new Lz4();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message instanceof ByteBuf bytes) {
      received += bytes.readableBytes();
    }
    super.channelRead(context, message);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    SegmentCodec codec = segments;
    if (codec == null) {
      Request request = next(context, in);
      if (request != null) {
        out.add(request);
      }
      return;
    }
    ByteBuf payload = codec.read(in);
    if (payload != null) {
      unfinished = join(unfinished, payload);
      Request request = next(context, unfinished);
      while (request != null) {
        out.add(request);
        request = next(context, unfinished);
      }
    }
  }

  /// Joins the rest of one buffer and all of another; takes ownership of both.
  private static ByteBuf join(ByteBuf rest, ByteBuf more) {
    if (!rest.isReadable()) {
      rest.release();
      return more;
    }
    ByteBuf both = rest;
    if (rest.refCnt() > 1 || rest.isReadOnly() || rest.maxWritableBytes() < more.readableBytes()) {
      both = Unpooled.buffer(2 * (rest.readableBytes() + more.readableBytes()));
      both.writeBytes(rest);
      rest.release();
    }
    both.writeBytes(more);
    more.release();
    return both;
  }

  /// Takes the next frame when it is complete, or skips bytes of it.
  private @Nullable Request next(ChannelHandlerContext context, ByteBuf in) {
    if (skipped > 0) {
      int now = (int) Math.min(skipped, in.readableBytes());
      in.skipBytes(now);
      skipped -= now;
    }
    if (skipped > 0 || in.readableBytes() < HEADER_BYTES) {
      return null;
    }
    int start = in.readerIndex();
    int version = requireVersion(in.getUnsignedByte(start));
    short stream = in.getShort(start + STREAM_OFFSET);
    long length = in.getUnsignedInt(start + LENGTH_OFFSET);
    if (!headed) {
      headed = true;
      refusal = claim(length);
    }
    CqlException refused = refusal;
    if (refused != null) {
      headed = false;
      in.skipBytes(HEADER_BYTES);
      skipped = length;
      return new Request(version, stream, null, Unpooled.EMPTY_BUFFER, 0, null, false, refused);
    }
    if (in.readableBytes() - HEADER_BYTES < length) {
      beginPace(context);
      return null;
    }
    headed = false;
    int flags = in.getUnsignedByte(start + 1);
    Opcode opcode = Opcode.of(in.getUnsignedByte(start + OPCODE_OFFSET));
    in.skipBytes(HEADER_BYTES);
    return request(version, flags, stream, opcode, in.readSlice((int) length));
  }

  private static int requireVersion(int given) {
    if (given < VERSION_MIN || given > VERSION_MAX) {
      throw CqlException.protocol(
          "Invalid or unsupported protocol version (%d); supported versions are (3/v3, 4/v4, 5/v5)"
              .formatted(given & 0x7f));
    }
    return given;
  }

  /// Claims credit for a body; returns the reason when there is none.
  private @Nullable CqlException claim(long length) {
    if (length > bodyBytesMax) {
      return CqlException.invalid(
          "Request is too big: length %d exceeds maximum allowed length %d."
              .formatted(length, bodyBytesMax));
    }
    long wanted = credit(length);
    if (length > 0 && !credit.tryClaim(wanted)) {
      return new CqlException(
          Code.OVERLOADED, "too many bytes are in progress; send the request again");
    }
    claimed = wanted;
    return null;
  }

  private static long credit(long length) {
    long dense = Math.min(length, DENSE_BYTES);
    return BYTES_PER_BYTE * dense + BYTES_PER_LATER_BYTE * (length - dense);
  }

  /// The largest body for which a total of credit is enough.
  public static int bodyBytesMax(long credit) {
    long dense = Math.min(credit / BYTES_PER_BYTE, DENSE_BYTES);
    long later = (credit - BYTES_PER_BYTE * dense) / BYTES_PER_LATER_BYTE;
    return Math.clamp(dense + later, 0, Integer.MAX_VALUE);
  }

  private Request request(
      int version, int flags, short stream, @Nullable Opcode opcode, ByteBuf body) {
    long held = claimed;
    claimed = 0;
    Lz4 compressed = lz4;
    try {
      ByteBuf plain =
          compressed != null && (flags & COMPRESSED) != 0 && segments == null
              ? decompress(compressed, body)
              : body.retain();
      boolean hasPayload = (flags & Reply.CUSTOM_PAYLOAD) != 0 && version > VERSION_MIN;
      ByteBuffer key = hasPayload ? readPayload(plain) : null;
      boolean traced = (flags & Reply.TRACING) != 0;
      return new Request(version, stream, opcode, plain, held, key, traced, null);
    } catch (CqlException broken) {
      credit.release(held);
      return new Request(version, stream, null, Unpooled.EMPTY_BUFFER, 0, null, false, broken);
    }
  }

  private ByteBuf decompress(Lz4 compressed, ByteBuf body) {
    long length = body.readableBytes() < Integer.BYTES ? -1 : body.readInt();
    if (length < 0 || length > bodyBytesMax) {
      throw CqlException.protocol("a compressed body of %d bytes".formatted(length));
    }
    return compressed.decompress(body, (int) length);
  }

  /// Of what a request carries in front of its body only its key has a meaning here.
  private static @Nullable ByteBuffer readPayload(ByteBuf body) {
    BodyReader reader = new BodyReader(body);
    ByteBuffer key = null;
    try {
      int entries = reader.unsignedShort();
      for (int i = 0; i < entries; i++) {
        boolean isKey = reader.string().equals(RequestKey.NAME);
        ByteBuffer value = reader.bytes();
        if (isKey) {
          key = value == null ? ByteBuffer.allocate(0) : value; // no key, and refused as such
        }
      }
      return key;
    } catch (CqlException cut) {
      body.release();
      throw cut;
    }
  }

  /// Watches a sender that is in the middle of a body, and holds credit for it.
  private void beginPace(ChannelHandlerContext context) {
    if (!paced) {
      paced = true;
      received = 0;
      schedulePace(context);
    }
  }

  private void schedulePace(ChannelHandlerContext context) {
    var _ =
        context
            .executor()
            .schedule(() -> pace(context), FixedLimits.BODY_RATE_SECONDS, TimeUnit.SECONDS);
  }

  private void pace(ChannelHandlerContext context) {
    if (claimed == 0 || !context.channel().isActive()) {
      paced = false;
    } else if (received < paceBytes && context.channel().config().isAutoRead()) {
      var _ = context.close();
    } else {
      received = 0;
      schedulePace(context);
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    unfinished.release();
    unfinished = Unpooled.EMPTY_BUFFER;
    credit.release(claimed);
    claimed = 0;
  }
}
