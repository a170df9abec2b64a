package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a response reports the read blocks, a file name and the progress, when that is asked for,
/// and is the same otherwise. Method: a daemon, the same questions with and without.
@Timeout(300)
class ExtrasOverHttpTest {
  private static final int EVENTS = 3_000;

  @TempDir Path directory;

  private OperatedDaemon daemon() throws IOException, InterruptedException {
    var it = new OperatedDaemon(directory, Map.of("lanes", "1"));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append("{\"ts\":%d,\"type\":\"t\",\"n\":%d}%n".formatted(1_763_666_100_000L + i, i));
    }
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
    return it;
  }

  @Test
  void theLastLineSaysWhatWasRead() throws IOException, InterruptedException {
    try (var it = daemon()) {
      for (String question : List.of("?where=n%20%3C%2010", "?stats=count", "?stats=sum(n)")) {
        String plain = it.get("/v1/query" + question);
        String told = it.get("/v1/query" + question + "&explain=1");
        assertTrue(told.startsWith(plain), told);
        String explain = told.substring(plain.length());
        assertTrue(
            explain.matches(
                "\\{\"explain\":\\{\"partitions\":1,\"groups\":1,\"opened\":1,.*"
                    + "\"micros\":\\d+}}\n"),
            explain);
      }
      it.merge();
      String sealed = it.get("/v1/query?where=n%20%3C%2010&explain=true");
      assertTrue(sealed.contains(",\"kept\":10,\"micros\":"), sealed);
      assertTrue(sealed.contains("\"blocks\":1,"), sealed);
    }
  }

  @Test
  void progressIsBesideTheAnswer() throws IOException, InterruptedException {
    try (var it = daemon()) {
      for (String question : List.of("?stats=sum(n)&by=n", "?type=t")) {
        List<String> told =
            it.get("/v1/query" + question + "&progress=1")
                .lines()
                .filter(line -> !line.matches("\\{\"progress\":0\\.\\d\\d,\"events\":\\d+}"))
                .toList();
        assertEquals(it.get("/v1/query" + question).lines().toList(), told);
      }
    }
  }

  @Test
  void aDownloadHasAName() throws IOException, InterruptedException {
    try (var it = daemon()) {
      HttpResponse<String> answer =
          it.http.get("/v1/query?limit=1&download=errors%20of%20May.ndjson");
      assertEquals(
          "attachment; filename=\"errors of May.ndjson\"",
          answer.headers().firstValue("content-disposition").orElse(""));
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = daemon()) {
      Map<String, String> refused =
          Map.of(
              "?explain=yes", "explain: must be 1, 0 or plan, got yes",
              "?explain=1&format=csv", "explain: is a line of JSON",
              "?progress=1&format=csv", "progress: is a line of JSON",
              "?download=a%22%0d%0ab", "download: a file's name",
              "?download=%2Fx", "download: a file's name");
      it.assertRefused("GET", "/v1/query", refused);
    }
  }
}
