package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bad document of a bulk is refused with a reason that names the position, and its
/// neighbours are stored. Method: a corpus of bad documents, each between two good ones.
class MalformedBulkTest {
  private static final String ACTION = "{\"create\":{\"_index\":\"t\"}}\n";
  private static final String GOOD =
      ACTION + "{\"@timestamp\":\"1970-01-01T00:00:01Z\",\"message\":\"good\"}\n";

  static List<String> bad() {
    return MalformedTest.corpus("malformed.bulk");
  }

  @ParameterizedTest
  @MethodSource("bad")
  void badDocumentCostsItsItemOnly(String bad) {
    assertTrue(bad().size() >= 45);
    byte[] body =
        (GOOD + ACTION + MalformedTest.expand(bad) + "\n" + GOOD)
            .getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, ElasticFuzz::decode);
    MalformedTest.assertTheSecondIsRefused(result, 1_000_000_000L);
  }
}
