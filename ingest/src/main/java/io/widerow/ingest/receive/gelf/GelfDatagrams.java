package io.widerow.ingest.receive.gelf;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.Decompression;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.socket.DatagramDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.LongSupplier;

/// The messages of the UDP socket: whole or in chunks, gzip, zlib or plain.
///
/// - Threads: the event loop of the socket.
final class GelfDatagrams implements DatagramDecoder {
  /// The packed message may be in chunks; what it unpacks to is bounded as over TCP.
  private static final int RATIO_MAX = 100;

  private final GelfDecoder decoder = new GelfDecoder(null);
  private final GelfChunks chunks;

  /// @param nanoTime a clock that only goes forward
  GelfDatagrams(LongSupplier nanoTime) {
    chunks = new GelfChunks(nanoTime);
  }

  @Override
  public void decode(byte[] bytes, int length, IncomingBatch batch) {
    from(bytes, length, InetAddress.getLoopbackAddress(), batch);
  }

  @Override
  public void decode(byte[] bytes, int length, InetSocketAddress sender, IncomingBatch batch) {
    from(bytes, length, sender.getAddress(), batch);
  }

  private void from(byte[] bytes, int length, InetAddress sender, IncomingBatch batch) {
    if (!GelfChunks.isChunk(bytes, length)) {
      message(bytes, length, batch);
      return;
    }
    byte[] whole = chunks.take(bytes, length, sender, batch);
    if (whole != null) {
      message(whole, whole.length, batch);
    }
  }

  private void message(byte[] bytes, int length, IncomingBatch batch) {
    if (length == 0) {
      return;
    }
    Body packed = Body.take();
    int at = packed.reserve(length);
    System.arraycopy(bytes, 0, packed.bytes(), at, length);
    packed.wrote(length);
    try {
      Body plain =
          Decompression.unpack(
              packed,
              List.of(BodyCoding.BY_SIGHT),
              GelfStream.MESSAGE_BYTES_MAX,
              RATIO_MAX,
              _ -> {});
      decoder.decode(plain.bytes(), 0, plain.length(), batch);
      plain.give();
    } catch (RequestRefused bad) {
      batch.refuse("message at byte 0: " + bad.reason());
    }
  }
}
