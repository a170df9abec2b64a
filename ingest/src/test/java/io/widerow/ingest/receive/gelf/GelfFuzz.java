package io.widerow.ingest.receive.gelf;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Fuzz targets of GELF.
public final class GelfFuzz {
  private static final InetSocketAddress SENDER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  private GelfFuzz() {}

  public static List<byte[]> seeds() {
    return List.of(
        ("{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"a\\n\",\"level\":\"5\","
                + "\"timestamp\":1385053862.3072,\"_a\":{\"b\":[1]},\"_id\":null}\0\n{}\0{")
            .getBytes(StandardCharsets.UTF_8),
        "\u0014\u001e\u000f00000000\u0000\u0002{\"a\":\u0012\u001e\u000f00000000\u0001\u00021}"
            .getBytes(StandardCharsets.ISO_8859_1),
        "\u000e\u001e\u000f00000001\u0000\u0001{}\u0003\u001e\u000f\u0000"
            .getBytes(StandardCharsets.ISO_8859_1));
  }

  /// Reads the input as a stream, and as datagrams that begin with their length.
  public static void decode(byte[] body, int limit, IncomingBatch batch) {
    GelfStream stream = new GelfStream();
    int at = 0;
    for (int next = 0; next >= 0; next = stream.decode(body, at, limit, batch)) {
      at = next;
    }
    stream.decodeLast(body, at, limit, batch);
    GelfDatagrams datagrams = new GelfDatagrams(() -> 0);
    int from = 0;
    while (from < limit) {
      int until = Math.min(limit, from + 1 + (body[from] & 0xff));
      byte[] datagram = Arrays.copyOfRange(body, from + 1, until + Swar.SLACK_BYTES);
      datagrams.decode(datagram, until - from - 1, SENDER, batch);
      from = until;
    }
  }
}
