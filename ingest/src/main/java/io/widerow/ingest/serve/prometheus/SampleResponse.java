package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.decode.SnappyPacker;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.query.QueryException;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SampledSeries;
import io.widerow.query.series.XorSamples;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// The response with samples: one block of snappy, packed and sent piece by piece.
///
/// ```
///   ReadResponse  1 result { 1 series { 1 label {1 name, 2 value}, 2 sample {1 value, 2 ms},
///                                         4 histogram } }
/// ```
///
/// - Threads: one.
/// - Memory: some pieces; the samples remain packed until they are sent.
final class SampleResponse {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long BLOCK_BYTES_MAX = (1L << 32) - 1;
  private static final int SEND_BYTES = 256 << 10;
  private static final int ONE = 0x0a; // field 1, a message or a text
  private static final int TWO = 0x12;
  private static final int FOUR = 0x22;
  private static final int VALUE = 0x09; // field 1, a double
  private static final int MILLIS = 0x10; // field 2, a number
  private static final int SLACK = 32; // more than a sample
  private static final int VARINT_ONE = 1 << 7;

  private final QueryReply reply;
  private final SnappyPacker packer = new SnappyPacker();
  private final byte[] piece = new byte[SnappyPacker.PIECE_BYTES + SLACK];
  private final byte[] packed =
      new byte[SEND_BYTES + SnappyPacker.packedMax(SnappyPacker.PIECE_BYTES)];
  private int length; // of the piece
  private int packedLength;

  private SampleResponse(QueryReply reply) {
    this.reply = reply;
  }

  /// The bytes of a response before they are packed.
  ///
  /// @throws QueryException.OverBudget when a block cannot have so many
  static long bytes(List<List<SampledSeries>> results) {
    long bytes = 0;
    for (List<SampledSeries> all : results) {
      bytes += WireSize.field(WireSize.result(all));
    }
    if (bytes > BLOCK_BYTES_MAX) {
      throw new QueryException.OverBudget(
          "bytes in a block of snappy",
          BLOCK_BYTES_MAX,
          bytes,
          "query a shorter range or fewer series");
    }
    return bytes;
  }

  /// Sends the response, whose headers have begun.
  ///
  /// @param bytes see [#bytes]
  static void send(List<List<SampledSeries>> results, long bytes, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    SampleResponse answer = new SampleResponse(reply);
    answer.packedLength = SnappyPacker.begin(bytes, answer.packed, 0);
    for (List<SampledSeries> all : results) {
      answer.result(all);
    }
    answer.pack(answer.length);
    reply.end(answer.packed, answer.packedLength);
  }

  private void result(List<SampledSeries> all)
      throws ExecutionException, InterruptedException, TimeoutException {
    tag(ONE, WireSize.result(all));
    XorSamples samples = new XorSamples();
    for (SampledSeries series : all) {
      tag(ONE, WireSize.series(series));
      for (Labels.Label label : series.labels().all()) {
        tag(ONE, WireSize.label(label));
        text(ONE, label.name());
        text(TWO, label.value());
      }
      for (SampledSeries.Chunk chunk : series.chunks()) {
        samples.begin(chunk.bytes());
        while (samples.next()) {
          sample(samples.millis(), samples.valueBits());
        }
      }
      for (SampledSeries.Native histogram : series.natives()) {
        bytes(FOUR, histogram.message());
      }
    }
  }

  private void sample(long millis, long valueBits)
      throws ExecutionException, InterruptedException, TimeoutException {
    byte[] to = piece;
    to[length] = TWO;
    to[length + 1] = (byte) (1 + Long.BYTES + 1 + WireSize.varint(millis));
    to[length + 2] = VALUE;
    LONG.set(to, length + 3, valueBits);
    length += 3 + Long.BYTES;
    to[length++] = MILLIS;
    varint(millis);
    packWhenFull();
  }

  private void tag(int tag, long bytes)
      throws ExecutionException, InterruptedException, TimeoutException {
    piece[length++] = (byte) tag;
    varint(bytes);
    packWhenFull();
  }

  private void varint(long value) {
    long rest = value;
    while (rest >= VARINT_ONE) {
      piece[length++] = (byte) (rest | VARINT_ONE);
      rest >>>= 7;
    }
    piece[length++] = (byte) rest;
  }

  private void text(int tag, String text)
      throws ExecutionException, InterruptedException, TimeoutException {
    bytes(tag, text.getBytes(StandardCharsets.UTF_8));
  }

  private void bytes(int tag, byte[] content)
      throws ExecutionException, InterruptedException, TimeoutException {
    tag(tag, content.length);
    for (int at = 0; at < content.length; ) {
      int now = Math.min(content.length - at, piece.length - length);
      System.arraycopy(content, at, piece, length, now);
      length += now;
      at += now;
      packWhenFull();
    }
  }

  private void packWhenFull() throws ExecutionException, InterruptedException, TimeoutException {
    if (length >= SnappyPacker.PIECE_BYTES) {
      pack(SnappyPacker.PIECE_BYTES);
    }
  }

  /// Packs the front of the piece, and sends the packed bytes when there are enough.
  private void pack(int count) throws ExecutionException, InterruptedException, TimeoutException {
    packedLength = packer.pack(piece, count, packed, packedLength);
    System.arraycopy(piece, count, piece, 0, length - count);
    length -= count;
    if (packedLength >= SEND_BYTES) {
      if (!reply.write(packed, packedLength)) {
        throw new QueryException.Stopped("the reader has left");
      }
      packedLength = 0;
    }
  }
}
