package io.widerow.ingest.receive.influx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.storage.Durability;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: `/api/v3/write_lp` answers as InfluxDB 3 does. Method: requests as its documentation has
/// them, to a daemon with a store in memory.
@Timeout(300)
class InfluxThreeTest {
  private static final String PATH = "/api/v3/write_lp?db=any";

  @AutoClose private final MemoryDaemon it = new MemoryDaemon(1);
  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private HttpResponse<String> write(String parameters, String lines)
      throws IOException, InterruptedException {
    return http.post(PATH + parameters, Http.TEXT, lines);
  }

  /// The bounds of `auto`, and a time of each unit.
  @ParameterizedTest
  @CsvSource({
    "1700000000, 1700000000000000000",
    "1699999999, 1699999999000000000",
    "5000000000, 5000000000000000",
    "1699999999999, 1699999999999000000",
    "5000000000000, 5000000000000000",
    "1699999999999999, 1699999999999999000",
    "5000000000000000, 5000000000000000",
    "1700000000123456789, 1700000000123456789"
  })
  void theUnitFollowsFromTheSize(String sent, long nanos) throws IOException, InterruptedException {
    assertEquals(204, write("", "m v=1 " + sent).statusCode());
    assertEquals(204, write("&precision=auto", "m v=1 " + sent).statusCode());
    assertEquals(nanos, store.committed.getFirst().timeNanos());
  }

  @ParameterizedTest
  @CsvSource({
    "second, 1000000000",
    "millisecond, 1000000",
    "microsecond, 1000",
    "nanosecond, 1",
    "s, 1000000000",
    "ms, 1000000",
    "us, 1000",
    "ns, 1"
  })
  void aPrecisionThatIsNamed(String precision, long nanos)
      throws IOException, InterruptedException {
    assertEquals(204, write("&precision=" + precision, "m v=1 7").statusCode());
    assertEquals(7 * nanos, store.committed.getFirst().timeNanos());
  }

  @Test
  void everyBadLineIsListedAndTheGoodOnesAreStored() throws IOException, InterruptedException {
    HttpResponse<String> answer = write("", "m v=1 1\nm v=\n# c\n\nm v=2 2\n=\n");
    assertEquals(400, answer.statusCode());
    assertEquals(
        "{\"error\":\"partial write of line protocol occurred\",\"data\":["
            + "{\"original_line\":\"m v=\",\"line_number\":2,"
            + "\"error_message\":\"missing field value\"},"
            + "{\"original_line\":\"=\",\"line_number\":6,"
            + "\"error_message\":\"missing fields\"}]}\n",
        answer.body());
    assertEquals(2, store.committed.size());
  }

  @Test
  void onlyBadLinesAreAnErrorToo() throws IOException, InterruptedException {
    HttpResponse<String> answer = write("", "m v=\n");
    assertEquals(400, answer.statusCode());
    assertTrue(
        answer.body().contains("\"line_number\":1,\"error_message\":\"missing"), answer.body());
    assertEquals(0, store.committed.size());
  }

  @Test
  void nothingIsStoredWithoutPartialWrites() throws IOException, InterruptedException {
    HttpResponse<String> answer = write("&accept_partial=false", "m v=1 1\nm v=\n");
    assertEquals(400, answer.statusCode());
    assertEquals(
        "{\"error\":\"parsing failed for write_lp endpoint\",\"data\":[{\"original_line\":\"m"
            + " v=\",\"line_number\":2,\"error_message\":\"missing field value\"}]}\n",
        answer.body());
    assertEquals(204, write("&accept_partial=false", "m v=1 1\n").statusCode());
    assertEquals(1, store.committed.size());
    assertEquals(400, write("&accept_partial=perhaps", "m v=1 1\n").statusCode());
  }

  @Test
  void aClientMayAskNotToWaitForTheDisk() throws IOException, InterruptedException {
    assertEquals(204, write("&no_sync=true", "m v=1 1\n").statusCode());
    assertEquals(204, write("&no_sync=true&durability=os", "m v=1 2\n").statusCode());
    assertEquals(204, write("", "m v=1 3\n").statusCode());
    assertEquals(List.of(Durability.MEMORY, Durability.OS, Durability.DISK), store.levels);
  }

  @Test
  void aTooFineOrUnknownPrecisionIsNamed() throws IOException, InterruptedException {
    HttpResponse<String> answer = write("&precision=hour", "m v=1 1\n");
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("got hour"), answer.body());
  }
}
