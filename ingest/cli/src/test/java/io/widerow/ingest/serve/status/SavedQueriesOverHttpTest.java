package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a saved query is asked as it was, also after a restart, options take the place of its own,
/// and errors are reported and change nothing. Method: a daemon, over HTTP and by commands.
@Timeout(300)
class SavedQueriesOverHttpTest {
  private static final String PATH = "/v1/queries";

  @TempDir Path directory;

  private CommandDaemon daemon() {
    return new CommandDaemon(directory, Map.of());
  }

  private static void write(CommandDaemon it) throws IOException, InterruptedException {
    it.writeHour(i -> "\"type\":\"%s\",\"n\":%d".formatted(i % 2 == 0 ? "cpu" : "disk", i));
  }

  @Test
  void aSavedQueryIsAskedByName() throws IOException, InterruptedException {
    String asked;
    try (var it = daemon()) {
      write(it);
      CommandDaemon.Ran saved =
          it.run(
              "query", "cpu", "--where=n > 10 and n != 40", "--from=2025-11-20", "--save=high-cpu");
      assertEquals(0, saved.code(), saved.err());
      assertEquals("", saved.out());
      assertEquals("saved; `widerow query --saved high-cpu` runs it\n", saved.err());
      asked = it.run("query", "--saved=high-cpu").out();
      assertEquals(
          it.run("query", "cpu", "--where=n > 10 and n != 40", "--from=2025-11-20").out(), asked);
      assertEquals(23, asked.lines().count());
    }
    try (var it = daemon()) {
      assertEquals(asked, it.run("query", "--saved=high-cpu").out());
      assertEquals(
          "{\"query\":\"high-cpu\",\"parameters\":\"type=cpu&from=2025-11-20T00%3A00%3A00Z"
              + "&where=n+%3E+10+and+n+%21%3D+40\"}\n",
          it.get(PATH));
      CommandDaemon.Ran table = it.run("query", "--saved", "--output=table");
      assertTrue(table.out().contains("type=cpu  from=2025-11-20T00:00:00Z  where=n > 10"));
      CommandDaemon.Ran count =
          it.run("query", "disk", "--saved=high-cpu", "--since=2025-11-20T19:30", "--stats=count");
      assertEquals("{\"count\":15}\n", count.out(), count.err());
      assertEquals("{\"unset\":\"high-cpu\"}\n", it.run("query", "--forget", "high-cpu").out());
      assertEquals("", it.get(PATH));
      CommandDaemon.Ran gone = it.run("query", "--saved=high-cpu");
      assertTrue(gone.err().contains("there is no 'high-cpu'; none is set"), gone.err());
    }
  }

  @Test
  void aViewOfThePageIsSavedWithItsQuestion() throws IOException, InterruptedException {
    try (var it = daemon()) {
      write(it);
      String view = "type=cpu&since=2025-11-20&view=differences&pickwhere=n%20%3E%203&cols=n";
      assertEquals(200, it.send("PUT", PATH + "?query=page&" + view).statusCode());
      assertTrue(it.get(PATH).contains("&view=differences&"), it.get(PATH));
      assertEquals(30, it.run("query", "--saved=page").out().lines().count());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = daemon()) {
      Map<String, String> refused =
          Map.of(
              "?type=cpu",
              "query: is missing",
              "?query=a%20b&type=cpu",
              "one word of up to 100 letters, digits",
              "?query=x",
              "query: x is empty",
              "?query=x&where=n%20%3E",
              "where",
              "?query=x&wher=n",
              "wher: no such parameter; did you mean where?",
              "?query=x&type=cpu&where=" + "n%3D1%20or%20".repeat(1_500) + "n%3D1",
              "8192");
      it.assertRefused("PUT", PATH, refused);
      assertEquals("", it.get(PATH));
      assertEquals(404, it.send("GET", PATH + "?query=x").statusCode());
      assertEquals(400, it.send("DELETE", PATH + "?query=x").statusCode());
      CommandDaemon.Ran stopped = it.run("query", "--data=" + directory, "--saved=x");
      assertTrue(stopped.err().contains("saved: requires a daemon"), stopped.err());
    }
  }

  @Test
  void aStoreElsewhereKeepsNone() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.send(
              "PUT", PATH + "?query=x&type=cpu", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode(), answer.body());
    }
  }
}
