package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a user without results sees the reason, and can list the types. Method: `query` and
/// `types` in this process on a stopped store, half of it sealed.
class EmptyResultHintsTest {
  private static final long START = 1_763_666_100_000_000_000L; // 2025-11-20T19:15:00Z
  private static final long MINUTE = 60_000_000_000L;

  @TempDir static Path directory;

  @BeforeAll
  static void fill() throws IOException {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String type = i < 8 ? "nginx.access" : "nginx.error";
      events.add(new Stored(type, START + i * MINUTE, Map.of("body", "line " + i, "n", (long) i)));
    }
    StoreDirectory.write(directory.resolve("store"), events);
    EmbeddedStore.open(StoreConfig.at(directory.resolve("empty")), Runnable::run).close();
  }

  private static Ran query(Map<String, String> environment, String... arguments) {
    return run("query", environment, arguments);
  }

  private static Ran run(String command, Map<String, String> environment, String... arguments) {
    String full = command.equals("types") ? "explore types" : command;
    return CommandDaemon.run(environment, full, arguments);
  }

  private static Ran on(String store, String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--data", directory.resolve(store).toString()));
    Collections.addAll(all, arguments);
    return run(command, Map.of(), all.toArray(String[]::new));
  }

  private static String told(String... arguments) {
    Ran run = on("store", "query", arguments);
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().lines().noneMatch(line -> line.contains("\"n\":")), run.out());
    return run.err().replaceAll("continue with --after w1\\.\\S+\n", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nginx.acess | there is no type nginx.acess; the nearest is nginx.access
          NGINX.ERROR | there is no type NGINX.ERROR; the nearest is nginx.error
          nosuch | there is no type nosuch; there is nginx.access, nginx.error
          apache.* | there is no type like apache.*; there is nginx.access, nginx.error
          """)
  void anUnknownTypeIsToldWithTheNearest(String type, String sentence) {
    assertEquals("widerow query: " + sentence + "\n", told(type));
    assertEquals("widerow query: " + sentence + "\n", told(type, "--stats", "count"));
    Ran types = on("store", "types", type);
    assertEquals("widerow explore types: " + sentence + "\n", types.err());
    assertEquals(0, types.code());
  }

  @Test
  void oneMisspeltTypeOfSeveralIsToldBesideTheEventsOfTheOthers() {
    Ran run = on("store", "query", "nginx.error", "nginx.acess");
    assertEquals(0, run.code());
    assertEquals(2, run.out().lines().count());
    String sentence = "there is no type nginx.acess; the nearest is nginx.access\n";
    assertTrue(run.err().contains("widerow query: " + sentence), run.err());
  }

  @Test
  void aRangeWithoutEventsSaysWhereTheyAre() {
    String lie =
        "; its events lie between 2025-11-20T19:15:00.000000000Z and"
            + " 2025-11-20T19:22:00.000000000Z\n";
    assertEquals(
        "widerow query: no events of nginx.access between 2025-11-21T00:00:00.000000000Z and"
            + " 2025-11-22T00:00:00.000000000Z"
            + lie,
        told("nginx.access", "--from", "2025-11-21", "--to", "2025-11-22"));
    assertEquals(
        "widerow query: no events of nginx.access before 2025-11-20T00:00:00.000000000Z" + lie,
        told("nginx.access", "--to", "2025-11-20"));
    assertEquals(
        "widerow query: no events since 2025-11-21T00:00:00.000000000+01:00; the stored events"
            + " lie between 2025-11-20T20:15:00.000000000+01:00 and"
            + " 2025-11-20T20:24:00.000000000+01:00\n",
        told("--from", "2025-11-21", "--tz", "Europe/Berlin"));
    assertEquals(
        "widerow query: no events of nginx.* between 2025-11-20T19:15:30.000000000Z and"
            + " 2025-11-20T19:15:40.000000000Z; their events lie between"
            + " 2025-11-20T19:15:00.000000000Z and 2025-11-20T19:24:00.000000000Z\n",
        told("nginx.*", "--from", "2025-11-20T19:15:30Z", "--to", "2025-11-20T19:15:40Z"));
  }

  @Test
  void aFilterOrATokenThatLeavesNothingIsNotExplained() {
    assertEquals("", told("nginx.access", "--where", "n > 100"));
    Ran page = on("store", "query", "--output", "json", "--token");
    String token = page.out().lines().toList().getLast().replaceAll(".*:\"(.*)\".*", "$1");
    assertEquals("", told("--after", token));
  }

  @Test
  void aStoreWithoutEventsSaysSo() {
    assertEquals(
        "widerow query: no events are stored yet\n", on("empty", "query", "--last", "3").err());
    assertEquals(
        "widerow query: there is no type a; no events are stored yet\n",
        on("empty", "query", "a").err());
    assertEquals("widerow explore types: no events are stored yet\n", on("empty", "types").err());
  }

  @Test
  void typesAreListedInThreeFormats() {
    Ran json = on("store", "types");
    assertEquals("", json.err());
    assertEquals(
        """
        {"type":"nginx.access","first":"2025-11-20T19:15:00.000000000Z",\
        "last":"2025-11-20T19:22:00.000000000Z","events":8,"bytes":@}
        {"type":"nginx.error","first":"2025-11-20T19:23:00.000000000Z",\
        "last":"2025-11-20T19:24:00.000000000Z","events":2,"bytes":0}
        """,
        json.out().replaceAll("\"bytes\":[1-9]\\d*", "\"bytes\":@"));
    assertEquals(
        List.of("type,first,last,events,bytes", "nginx.error,2025-11-20T19:23:00.000000000Z,@"),
        on("store", "types", "*.error", "--output", "csv")
            .out()
            .lines()
            .map(line -> line.replaceAll(",2025-11-20T19:24.*", ",@"))
            .toList());
    List<String> table = on("store", "types", "--output", "table").out().lines().toList();
    assertEquals(3, table.size());
    assertTrue(table.getFirst().matches("type +first +last +events +bytes"), table.getFirst());
  }

  @Test
  void aQueryForNothingAtAllSaysHowToBegin() {
    Ran run = query(Map.of());
    assertEquals(64, run.code());
    assertEquals("", run.out());
    assertTrue(run.err().contains("widerow query --last 20"), run.err());
    assertTrue(run.err().contains("widerow explore types"), run.err());
  }

  @Test
  void aMisspeltVariableIsAnErrorAndHelpIsStillShown() {
    String data = directory.resolve("store").toString();
    Ran run = query(Map.of("WIDEROW_TOKN", "x"), "--data", data);
    assertEquals(64, run.code());
    assertEquals("", run.out());
    assertTrue(
        run.err()
            .startsWith(
                "widerow query: there is no environment variable WIDEROW_TOKN;"
                    + " did you mean WIDEROW_TOKEN? Those there are: WIDEROW_"),
        run.err());
    assertTrue(run.err().contains(" WIDEROW_BODY_BYTES_MAX, "), run.err());
    assertEquals(0, query(Map.of("WIDEROW_TOKN", "x"), "--help").code());
    assertEquals(0, query(Map.of("WIDEROW_DATA", "x"), "--data", data).code());
  }

  @Test
  void aDirectoryAndADaemonAreNotAskedTogether() {
    String data = directory.resolve("store").toString();
    Ran both = run("types", Map.of(), "--data", data, "--url", "localhost");
    assertEquals(64, both.code());
    assertEquals("widerow explore types: data: give either data or url, not both\n", both.err());
    assertEquals(0, run("types", Map.of("WIDEROW_URL", "elsewhere"), "--data", data).code());
  }
}
