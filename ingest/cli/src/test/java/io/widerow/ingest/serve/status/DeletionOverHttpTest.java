package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator plans and runs a deletion and gets a proof of it, over HTTP and by the
/// command; what makes no sense is answered 400 with the value and changes nothing. Method: a
/// daemon with a store on the disk.
@Timeout(300)
class DeletionOverHttpTest {
  private static final String PATH = "/v1/admin/delete";

  @TempDir private Path directory = Path.of(".");

  /// A daemon and its store.
  private static final class Running extends CommandDaemon {
    Running(Path directory) {
      super(directory, Map.of("bucket-minutes", "60"));
    }

    HttpResponse<String> post(String query) throws IOException, InterruptedException {
      return http.post(PATH + query, Http.NDJSON, "");
    }

    void writeHour(String type) throws IOException, InterruptedException {
      writeHour(minute -> "\"type\":\"%s\",\"user\":\"u%d\"".formatted(type, minute % 20));
    }

    String events() throws IOException, InterruptedException {
      return http.get("/v1/query?limit=1000").body();
    }

    String done(String id) throws IOException, InterruptedException {
      String proof = http.get(PATH + "/" + id).body();
      while (proof.contains("\"state\":\"running\"")) { // the daemon looks once a second
        proof = http.get(PATH + "/" + id).body();
      }
      return proof;
    }
  }

  @Test
  void eventsAreRemovedWithAProof() throws IOException, InterruptedException {
    try (var it = new Running(directory)) {
      it.writeHour("cpu");
      it.merge();
      it.writeHour("disk");
      List<String> kept = it.events().lines().filter(line -> !line.contains("\"u17\"")).toList();
      String plan = it.post("?where=user%20%3D%20%22u17%22").body();
      assertEquals(
          "{\"id\":\"d-1\",\"events\":6,\"ahead\":0,\"partitions\":2,"
              + "\"figures\":0,\"figureEvents\":0}\n",
          plan);
      assertEquals(6, it.events().lines().filter(line -> line.contains("\"u17\"")).count());
      HttpResponse<String> begun = it.post("/d-1");
      assertEquals(200, begun.statusCode(), begun.body());
      assertEquals(kept, it.events().lines().toList(), "hidden at once");
      String proof = it.done("d-1");
      assertTrue(proof.contains("\"filter\":\"user = \\\"u17\\\"\",\"removed\":6,"), proof);
      assertTrue(proof.contains("\"state\":\"done"), proof);
      String digest = proof.replaceAll(".*\"kept\":(\\{[^}]*}).*\\n", "$1");
      assertTrue(proof.contains("\"keptBefore\":" + digest), proof);
      assertEquals(kept, it.events().lines().toList());
      CommandDaemon.Ran verified = it.run("delete", "verify", "d-1");
      assertEquals("{\"id\":\"d-1\",\"matches\":0}\n", verified.out(), verified.err());
      assertEquals(0, verified.code());
      CommandDaemon.Ran again = it.run("delete", "run", "d-1");
      assertEquals(64, again.code());
      assertTrue(again.err().contains("d-1 is done already"), again.err());
      CommandDaemon.Ran planned = it.run("delete", "plan", "disk", "--where", "user = \"u3\"");
      assertEquals(
          "{\"id\":\"d-2\",\"events\":3,\"ahead\":0,\"partitions\":1,"
              + "\"figures\":0,\"figureEvents\":0}\n",
          planned.out(),
          planned.err());
      CommandDaemon.Ran ran = it.run("delete", "run", "d-2");
      assertTrue(ran.out().contains("\"removed\":3,"), ran.out() + ran.err());
      assertEquals(kept.size() - 3, it.events().lines().count());
      assertEquals(2, it.run("delete").out().lines().count());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory)) {
      it.writeHour("cpu");
      String before = it.events();
      Map<String, String> refused =
          Map.of(
              "", "where: is missing; give a filter",
              "?where=user%20%3D%20%22nobody%22", "where: nothing matches user = \\\"nobody\\\"",
              "?where=user%20%7E%20%22u.%2B1%22", "takes no regular expression",
              "?where=user%20%3D", "where",
              "?type=nginx.%2A&where=user", "no type matches 'nginx.*'",
              "/d-9", "id: there is no d-9; none was planned",
              "/9", "id: must be like d-7, got '9'",
              "?wher=x", "wher: no such parameter");
      it.assertRefused("POST", PATH, refused);
      assertEquals(before, it.events());
      assertEquals("", it.http.get(PATH).body());
    }
  }

  @Test
  void aStoreElsewhereHasNoDeletions() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.post(
              PATH, Http.NDJSON, "", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode(), answer.body());
    }
  }
}
