package io.widerow.ingest.receive.fluent;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.GzipMembers;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import io.widerow.ingest.socket.Receipt;
import io.widerow.ingest.socket.StreamDecoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The messages of one connection. A message with a chunk is a batch of its own, known by its tag
/// and chunk when it comes again, and acknowledged. One without, in the forms with many entries, is
/// known by its content when that can only be a repeat. One that is too large is taken in pieces,
/// see [FluentPieces].
///
/// ```
///   Message                  [tag, time, record, option]
///   Forward                  [tag, [[time, record], ...], option]
///   PackedForward            [tag, bytes of entries, option]
///   CompressedPackedForward  the same, with compressed: "gzip" in the option
/// ```
///
/// - Threads: one.
public final class FluentStream implements StreamDecoder {
  private static final String PROTOCOL = "fluent";
  private static final byte NIL = (byte) 0xc0;
  private static final int UNPACK_BYTES = 64 << 10;
  private static final int RATIO_FREE_BYTES = 1 << 20;
  private static final int ZSTD_WINDOW_LOG_MAX = 23; // 8 MiB
  private static final long CREDIT_PER_BYTE = 3;

  private final Intake intake;
  private final @Nullable FluentHandshake handshake;
  private final FluentFrame frame = new FluentFrame();
  private final FluentEntries entries = new FluentEntries();
  private final FluentPieces pieces;
  private final MsgpackReader in = new MsgpackReader();
  private @Nullable Receipt receipt;
  private boolean authenticated;
  private boolean broken;
  private boolean sharing;

  /// @param sharedKey that the sender must know; null for none
  public FluentStream(Intake intake, byte @Nullable [] sharedKey) {
    this.intake = intake;
    this.pieces = new FluentPieces(intake, entries);
    this.handshake = sharedKey == null ? null : new FluentHandshake(sharedKey);
    this.authenticated = sharedKey == null;
  }

  /// Lets all messages go into one batch: for tests, which decode without lanes.
  void oneBatch() {
    sharing = true;
  }

  @Override
  public byte[] greeting() {
    return handshake == null ? new byte[0] : handshake.helo();
  }

  @Override
  public boolean isSenderKnown() {
    return authenticated;
  }

  @Override
  public @Nullable String sender() {
    return authenticated && handshake != null ? handshake.hostname() : null;
  }

  @Override
  public @Nullable Receipt receipt() {
    return receipt;
  }

  @Override
  public void begin() {
    pieces.begin();
  }

  @Override
  public void rewind() {
    pieces.rewind();
    frame.forget();
    broken = false;
  }

  @Override
  public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    receipt = null;
    if (broken) {
      return BROKEN;
    }
    if (pieces.isOpen(offset)) {
      return piece(bytes, offset, limit, batch);
    }
    if (offset == limit) {
      return MORE;
    }
    if (bytes[offset] == NIL) { // a heartbeat
      return offset + 1;
    }
    int bytesMax = authenticated ? intake.limits().bodyBytesMax() : FluentHandshake.PING_BYTES_MAX;
    int end = frame.find(bytes, offset, limit, bytesMax);
    if (end == MORE) {
      return MORE;
    }
    try {
      if (end == BROKEN) {
        int begun =
            authenticated && frame.isTooLarge() ? pieces.open(bytes, offset, limit) : BROKEN;
        if (begun != BROKEN) {
          return begun;
        }
        throw new Bad(frame.reason());
      }
      if (authenticated) {
        return message(bytes, offset, end, batch) ? end : OWN_BATCH;
      }
      authenticate(bytes, offset, end, batch);
      return end;
    } catch (Bad bad) {
      broken = true;
      batch.refuse(String.valueOf(bad.getMessage()));
      return BROKEN;
    } finally {
      frame.forget();
    }
  }

  private int piece(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    try {
      int end = pieces.next(bytes, offset, limit, sharing, batch);
      receipt = pieces.receipt();
      return end;
    } catch (Bad bad) {
      broken = true;
      batch.refuse(String.valueOf(bad.getMessage()));
      return BROKEN;
    }
  }

  private void authenticate(byte[] bytes, int offset, int end, IncomingBatch batch) throws Bad {
    if (handshake == null) {
      throw new IllegalStateException("authenticated without a key");
    }
    in.show(bytes, offset + frame.start(0), end, offset);
    try {
      receipt = Receipt.ofAnswer(handshake.pong(in, frame.count()));
      authenticated = true;
    } catch (Bad bad) {
      receipt = Receipt.ofAnswer(FluentHandshake.refusal());
      broken = true;
      batch.refuse(String.valueOf(bad.getMessage()));
    }
  }

  /// Decodes a message.
  ///
  /// @return false when it needs a batch of its own, and has none
  private boolean message(byte[] bytes, int offset, int end, IncomingBatch batch) throws Bad {
    in.show(bytes, offset + frame.start(0), end, offset);
    Kind _ = in.next();
    if (!FluentEntries.isTag(in)) {
      throw in.bad("the tag is no text, but %s".formatted(in.kind));
    }
    entries.tag(bytes, in.offset, (int) in.length);
    int second = offset + frame.start(1);
    in.at = second;
    Kind form = in.next();
    boolean many = form == Kind.LIST || form == Kind.TEXT || form == Kind.BYTES;
    int content = in.offset;
    int contentLimit = in.at;
    int optionAt = many ? 2 : 3;
    if (frame.count() < optionAt || frame.count() > optionAt + 1) {
      throw new Bad(
          "%d elements, the second is %s: no form of a message".formatted(frame.count(), form));
    }
    FluentOption option = FluentOption.none();
    int entriesEnd = end;
    if (frame.count() > optionAt) {
      entriesEnd = offset + frame.start(optionAt);
      in.at = entriesEnd;
      option = FluentOption.read(in);
    }
    byte[] chunk = option.chunk();
    if (!sharing && (many || chunk != null) && batch.decoded() > 0) {
      return false;
    }
    if (option.signal() != 0) {
      batch.refuse(
          "fluent_signal %d: only logs are read, not metrics and traces"
              .formatted(option.signal()));
    } else if (!many) {
      entries.message(bytes, second, entriesEnd, offset, batch);
    } else if (form == Kind.LIST) {
      entries.list(bytes, second, entriesEnd, offset, batch);
      knowByContent(chunk, bytes, second, entriesEnd, batch);
    } else {
      packed(bytes, content, contentLimit, offset, option, batch);
    }
    if (chunk != null) {
      receipt =
          new Receipt(key(chunk), null, FluentOption.ack(chunk), FluentOption.ackOfKept(chunk));
    }
    return true;
  }

  private BatchKey key(byte[] chunk) {
    String tag = text(entries.tagCopy());
    return BatchKey.ofName("", PROTOCOL, tag.length() + " " + tag + text(chunk));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private void knowByContent(
      byte @Nullable [] chunk, byte[] bytes, int offset, int limit, IncomingBatch batch) {
    if (chunk == null && batch.knownByContent()) {
      byte[] digest = intake.digests().of(bytes, offset, limit - offset);
      String endpoint = PROTOCOL + " " + text(entries.tagCopy());
      receipt = Receipt.ofKey(BatchKey.ofBody("", endpoint, digest));
    }
  }

  private void packed(
      byte[] bytes, int offset, int limit, int base, FluentOption option, IncomingBatch batch)
      throws Bad {
    byte[] chunk = option.chunk();
    switch (option.coding()) {
      case PLAIN -> {
        entries.packed(bytes, offset, limit, base, batch);
        knowByContent(chunk, bytes, offset, limit, batch);
      }
      case GZIP, ZSTD -> {
        Body body = Body.take();
        try {
          unpack(bytes, offset, limit, option.coding(), body);
          entries.packed(body.bytes(), 0, body.length(), 0, batch);
          knowByContent(chunk, body.bytes(), 0, body.length(), batch);
        } catch (IOException bad) {
          throw new Bad("the packed entries are no valid %s".formatted(option.coding()));
        } finally {
          intake.credit().release(CREDIT_PER_BYTE * body.length());
          body.give();
        }
      }
    }
  }

  /// Unpacks into `body`, for whose bytes it claims credit.
  private void unpack(byte[] bytes, int offset, int limit, FluentOption.Coding coding, Body body)
      throws IOException, Bad {
    Intake.Limits limits = intake.limits();
    try (InputStream packed = open(bytes, offset, limit, coding)) {
      while (true) {
        int at = body.reserve(UNPACK_BYTES);
        int count = packed.read(body.bytes(), at, UNPACK_BYTES);
        if (count < 0) {
          return;
        }
        body.wrote(count);
        intake.credit().claimInDebt(CREDIT_PER_BYTE * count);
        int length = body.length();
        if (length > limits.bodyBytesMax()) {
          throw new Bad(
              "the entries unpack to more than %d bytes".formatted(limits.bodyBytesMax()));
        }
        if (length > RATIO_FREE_BYTES && length / limits.ratioMax() > limit - offset) {
          throw new Bad(
              "the entries unpack to more than %d times their size".formatted(limits.ratioMax()));
        }
      }
    }
  }

  private static InputStream open(byte[] bytes, int offset, int limit, FluentOption.Coding coding)
      throws IOException {
    InputStream raw = new ByteArrayInputStream(bytes, offset, limit - offset);
    if (coding == FluentOption.Coding.GZIP) {
      return new GzipMembers(raw);
    }
    return new ZstdInputStreamNoFinalizer(raw).setLongMax(ZSTD_WINDOW_LOG_MAX);
  }

  /// A message that is cut is not stored: the sender knows that it was not acknowledged.
  @Override
  public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {}
}
