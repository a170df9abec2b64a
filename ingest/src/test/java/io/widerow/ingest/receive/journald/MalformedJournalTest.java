package io.widerow.ingest.receive.journald;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MalformedTest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bad entry is refused with a reason that names the position, and its neighbours are
/// stored. Method: a corpus of bad entries, in which `|` stands for a newline, each between two
/// good ones.
class MalformedJournalTest {
  private static final String GOOD =
      "__CURSOR=g\n__REALTIME_TIMESTAMP=1767323045000123\nMESSAGE=good\n\n";

  static List<String> bad() {
    return MalformedTest.corpus("malformed.journal");
  }

  @ParameterizedTest
  @MethodSource("bad")
  void aBadEntryCostsItselfOnly(String bad) {
    assertTrue(bad().size() >= 50);
    String entry = MalformedTest.expand(bad).replace('|', '\n') + "\n\n";
    Decoding.Result result =
        Decoding.of((GOOD + entry + GOOD).getBytes(ISO_8859_1), JournalFuzz::decode);
    MalformedTest.assertTheSecondIsRefused(result, 1_767_323_045_000_123_000L);
  }
}
