package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;

import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.series.SeriesScan.Range;
import java.util.List;

/// Any bytes are a request of remote read, or are refused with a sentence.
public final class ReadRequestFuzz {
  private ReadRequestFuzz() {}

  public static List<byte[]> seeds() {
    byte[] one =
        RemoteRead.query(
            1_700_000_000_000L,
            1_700_000_060_000L,
            RemoteRead.matcher(0, "__name__", "up"),
            RemoteRead.matcher(2, "job", "a|b.*"),
            RemoteRead.hints(1_700_000_000_000L, 1_700_000_030_000L));
    byte[] two = RemoteRead.query(0, Long.MAX_VALUE, RemoteRead.matcher(3, "x", "[a-z]{3}"));
    return List.of(one, join(one, two, message(2, new byte[] {1, 0})));
  }

  public static void read(byte[] input) {
    try {
      ReadRequest request = ReadRequest.decode(input.clone(), input.length);
      for (ReadRequest.Query query : request.queries()) {
        Range range = query.range();
        if (range.and(new Range(0, 1)).lastMillis() > 1) {
          throw new AssertionError("a range that grew: " + range);
        }
      }
    } catch (RequestRefused refused) {
      if (refused.reason().isEmpty() || refused.status().code() != 400) {
        throw new AssertionError("refused with " + refused.status() + " " + refused.reason());
      }
    }
  }
}
