package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.varint;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/// Goal: remote read gives back the native histograms that remote write brought, byte for byte,
/// together with the plain samples of their series. Method: messages whose fields are in ascending
/// order, as ours are; the answer is read by protobuf's own reader.
class NativeHistogramsReadTest {
  private static final long BASE = 1_700_000_000_000L;
  private static final long STEP = 15_000;

  @TempDir private Path directory = Path.of(".");

  private static byte[] zigzag(int field, long value) {
    return number(field, (value << 1) ^ (value >> 63));
  }

  private static byte[] zigzags(int field, long... values) {
    List<byte[]> packed = new ArrayList<>();
    for (long value : values) {
      packed.add(varint((value << 1) ^ (value >> 63)));
    }
    return message(field, packed.toArray(byte[][]::new));
  }

  private static byte[] fraction(int field, double value) {
    return fixed64(field, Double.doubleToRawLongBits(value));
  }

  private static byte[] fractions(int field, double... values) {
    ByteBuffer packed = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      packed.putDouble(value);
    }
    return message(field, packed.array());
  }

  /// With whole counts, one of which no long can hold.
  private static byte[] whole(long millis) {
    return join(
        number(1, -2),
        fraction(3, 18.4),
        zigzag(4, -1),
        fraction(5, 1e-128),
        number(6, 2),
        message(8, number(2, 2)),
        zigzags(9, 1, -3),
        message(11, zigzag(1, -2), number(2, 3)),
        message(11, zigzag(1, 4), number(2, 1)),
        zigzags(12, 1, 1, -1, 5_000_000_000L),
        number(14, 1),
        number(15, millis));
  }

  private static byte[] fractional(long millis) {
    return join(
        fraction(2, 5.5),
        fraction(3, Double.NEGATIVE_INFINITY),
        zigzag(4, 3),
        fraction(5, 0.001),
        fraction(7, 0.5),
        message(11, number(2, 2)),
        fractions(13, 2.25, 2.75),
        number(15, millis));
  }

  private static byte[] custom(long millis) {
    return join(
        number(1, 3),
        fraction(3, 3),
        zigzag(4, -53),
        fraction(5, 0),
        number(6, 0),
        message(11, number(2, 2)),
        zigzags(12, 1, 1),
        number(15, millis),
        fractions(16, 5, 10.5));
  }

  private HttpResponse<byte[]> ask(OperatedDaemon daemon, byte[] request)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        daemon.http.exchange(
            "/api/v1/read", RemoteRead.TYPE, request, "content-encoding", "snappy");
    assertEquals(200, answer.statusCode(), () -> new String(answer.body(), UTF_8));
    return answer;
  }

  @Test
  void histogramsAreThoseThatWereWritten() throws IOException, InterruptedException {
    List<byte[]> sent = List.of(whole(BASE), fractional(BASE + STEP), custom(BASE + 2 * STEP));
    byte[] name = Messages.label("__name__", "latency");
    byte[] series =
        Messages.series(
            name,
            Messages.label("job", "api"),
            Messages.sample(7, BASE + 3 * STEP),
            message(4, sent.get(0)),
            message(4, sent.get(1)),
            message(4, sent.get(2)));
    byte[] plain = Messages.series(Messages.label("__name__", "up"), Messages.sample(1, BASE));
    byte[] query = RemoteRead.query(0, Long.MAX_VALUE);
    byte[] one = RemoteRead.query(0, Long.MAX_VALUE, RemoteRead.matcher(0, "__name__", "up"));
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      HttpResponse<String> answer =
          daemon.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(join(series, plain)));
      assertEquals(204, answer.statusCode(), answer.body());
      for (byte[] request : List.of(RemoteRead.request(query), RemoteRead.chunkRequest(query))) {
        assertHistograms(sent, ask(daemon, request).body());
        daemon.merge(); // then of sealed blocks
      }
      byte[] chunksOnly = RemoteRead.packed(join(query, number(2, 1)));
      List<RemoteRead.Series> floats = RemoteRead.chunks(ask(daemon, chunksOnly).body(), 1).get(0);
      assertEquals(
          List.of(BASE + 3 * STEP, BASE),
          floats.stream().map(each -> each.samples().getFirst().millis()).toList(),
          "chunks have the plain samples");
      assertEquals(
          "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse",
          ask(daemon, RemoteRead.chunkRequest(one)).headers().firstValue("content-type").orElse(""),
          "a metric without histograms comes in chunks");
    }
  }

  /// The first series of an answer with samples has the histograms, and one sample.
  private static void assertHistograms(List<byte[]> sent, byte[] body) throws IOException {
    CodedInputStream response = CodedInputStream.newInstance(Snappy.uncompress(body));
    response.readTag();
    CodedInputStream result = CodedInputStream.newInstance(response.readByteArray());
    result.readTag();
    CodedInputStream series = CodedInputStream.newInstance(result.readByteArray());
    List<byte[]> found = new ArrayList<>();
    int samples = 0;
    for (int tag = series.readTag(); tag != 0; tag = series.readTag()) {
      byte[] field = series.readByteArray();
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 2 -> samples++;
        case 4 -> found.add(field);
        default -> assertEquals(1, WireFormat.getTagFieldNumber(tag));
      }
    }
    assertEquals(1, samples);
    assertEquals(sent.size(), found.size());
    for (int i = 0; i < sent.size(); i++) {
      assertArrayEquals(sent.get(i), found.get(i), "histogram " + i);
    }
  }
}
