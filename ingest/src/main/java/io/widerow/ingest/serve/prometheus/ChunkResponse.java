package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SampledSeries;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/// The streamed answer: frames, each with one series and as many of its chunks as fit.
///
/// ```
///   frame  length (varint)  CRC-32C of the message (4, big endian)  message
///
///   ChunkedReadResponse  1 series { 1 label {1 name, 2 value}
///                                   2 chunk {1 first ms, 2 last ms, 3 encoding: 1 XOR, 4 bytes} }
///                        2 number of the query
/// ```
///
/// Source: prometheus/prometheus `prompb/remote.proto`, `storage/remote/chunked.go`.
///
/// - Threads: one.
/// - Memory: a frame.
final class ChunkResponse {
  /// As large as those of Prometheus, whose readers refuse larger ones.
  static final int FRAME_BYTES_MAX = 1 << 20;

  private static final int SEND_BYTES = 256 << 10;
  private static final int ONE = 0x0a; // field 1, a message or a text
  private static final int TWO = 0x12;
  private static final int FOUR = 0x22;
  private static final int FIRST = 0x08; // field 1, a number
  private static final int LAST = 0x10;
  private static final int ENCODING = 0x18;
  private static final int XOR = 1;
  private static final int VARINT_ONE = 1 << 7;

  private final QueryReply reply;
  private final OutputBuffer message = new OutputBuffer(64 << 10);
  private final OutputBuffer frames = new OutputBuffer(SEND_BYTES);

  ChunkResponse(QueryReply reply) {
    this.reply = reply;
  }

  /// Sends the series of one query; the headers have begun. Native histograms are in no chunk.
  void send(int query, List<SampledSeries> all)
      throws ExecutionException, InterruptedException, TimeoutException {
    for (SampledSeries series : all) {
      if (!series.chunks().isEmpty() || series.natives().isEmpty()) {
        send(query, series);
      }
    }
  }

  private void send(int query, SampledSeries series)
      throws ExecutionException, InterruptedException, TimeoutException {
    List<SampledSeries.Chunk> chunks = series.chunks();
    long labels = WireSize.labels(series.labels());
    int from = 0;
    do {
      long bytes = labels;
      int until = from;
      while (until < chunks.size()
          && (until == from || bytes + chunk(chunks.get(until)) <= FRAME_BYTES_MAX)) {
        bytes += chunk(chunks.get(until++));
      }
      frame(query, series.labels(), bytes, chunks.subList(from, until));
      from = until;
    } while (from < chunks.size());
  }

  /// Bytes of a chunk with its tag and length.
  private static long chunk(SampledSeries.Chunk chunk) {
    return WireSize.field(inner(chunk));
  }

  private static long inner(SampledSeries.Chunk chunk) {
    return 4
        + WireSize.varint(chunk.firstMillis())
        + WireSize.varint(chunk.lastMillis())
        + WireSize.field(chunk.bytes().length);
  }

  private void frame(int query, Labels labels, long bytes, List<SampledSeries.Chunk> chunks)
      throws ExecutionException, InterruptedException, TimeoutException {
    message.clear();
    tag(message, ONE, bytes);
    for (Labels.Label label : labels.all()) {
      tag(message, ONE, WireSize.label(label));
      text(ONE, label.name());
      text(TWO, label.value());
    }
    for (SampledSeries.Chunk chunk : chunks) {
      tag(message, TWO, inner(chunk));
      tag(message, FIRST, chunk.firstMillis());
      tag(message, LAST, chunk.lastMillis());
      tag(message, ENCODING, XOR);
      tag(message, FOUR, chunk.bytes().length);
      message.put(chunk.bytes());
    }
    if (query > 0) {
      tag(message, LAST, query);
    }
    CRC32C crc = new CRC32C();
    crc.update(message.bytes(), 0, message.length());
    varint(frames, message.length());
    for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
      frames.put((char) ((crc.getValue() >>> shift) & 0xff));
    }
    frames.put(message.bytes(), 0, message.length());
    if (frames.length() >= SEND_BYTES) {
      if (!reply.write(frames.bytes(), frames.length())) {
        throw new QueryException.Stopped("the reader has left");
      }
      frames.clear();
    }
  }

  private void text(int tag, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    tag(message, tag, utf8.length);
    message.put(utf8);
  }

  private static void tag(OutputBuffer to, int tag, long value) {
    to.put((char) tag);
    varint(to, value);
  }

  private static void varint(OutputBuffer to, long value) {
    long rest = value;
    while (rest >= VARINT_ONE) {
      to.put((char) ((rest & 0x7f) | VARINT_ONE));
      rest >>>= 7;
    }
    to.put((char) rest);
  }

  /// Sends the last frames and ends the response.
  void end() throws ExecutionException, InterruptedException, TimeoutException {
    reply.end(frames.bytes(), frames.length());
  }
}
