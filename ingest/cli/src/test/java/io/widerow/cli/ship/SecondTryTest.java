package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.Main;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: no line of a file is lost because the daemon refuses its time or its JSON. Method: the
/// command against a daemon, and what a query reads back; answers made by hand for lists of
/// refusals that are cut.
@Timeout(300)
class SecondTryTest {
  private static final long NOW = 1_790_000_000_000_000_000L;
  private static final String FUTURE = "the time is further ahead than the store allows";

  @TempDir Path directory;

  private Path log;
  @AutoClose private OperatedDaemon daemon;
  private Http http;

  @BeforeEach
  void start() throws IOException {
    log = directory.resolve("t.log");
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"));
    http = daemon.http;
  }

  /// Imports the file. In the end nothing of it may be refused.
  ///
  /// @return the summary
  private String ship(String text, String... more) throws IOException {
    Files.writeString(log, text);
    List<String> all = new ArrayList<>(List.of(log.toString(), "--once", "--to", daemon.url()));
    all.addAll(List.of(more));
    CommandDaemon.Ran ran =
        CommandDaemon.run(
            Map.of(),
            shell ->
                Main.of(
                    new ShipCommand(shell, new StopSignal(), InputStream.nullInputStream()), shell),
            all.toArray(String[]::new));
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  private List<String> stored() throws IOException, InterruptedException {
    return http.get("/v1/query?format=json&limit=100000")
        .body()
        .lines()
        .filter(line -> line.contains("\"body\""))
        .toList();
  }

  @Test
  void timesWithoutAZoneAreOfThisMachine() throws Exception {
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
    try {
      Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
      LocalDateTime here = LocalDateTime.ofInstant(now, ZoneId.of("Asia/Tokyo"));
      ship(here.toString().replace('T', ' ') + ",000 INFO begins\n");
      String found = stored().getFirst();
      assertTrue(found.contains(now.toString().replace("Z", "")), found);
      assertTrue(!found.contains("sender_time"), found);
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void aLineWithATimeInTheFutureGetsThatOfItsArrival() throws Exception {
    Instant ahead = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(9, ChronoUnit.HOURS);
    String summary = ship("good\n" + ahead + " one\n" + ahead + " one\n  follows\n");
    assertTrue(summary.startsWith("4 events stored, 0 repeated, 0 refused; "), summary);
    List<String> found = stored();
    assertEquals(4, found.size(), found.toString());
    String own = "\"sender_time\":\"" + ahead + "\"";
    assertEquals(3, found.stream().filter(line -> line.contains(own)).count(), found.toString());
    String again = ship(Files.readString(log));
    assertTrue(again.startsWith("0 events stored, 4 repeated, 0 refused; "), again);
  }

  @Test
  void anObjectWithATimeInTheFutureKeepsItsMembers() throws Exception {
    Instant ahead = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(9, ChronoUnit.HOURS);
    ship(
        "{\"ts\":\"%s\",\"n\":1,\"msg\":\"x\"}\n%s stdout F {\"n\":2,\"msg\":\"x\"}\n"
            .formatted(ahead, ahead));
    List<String> found = stored();
    assertEquals(2, found.size(), found.toString());
    for (String line : found) {
      assertTrue(line.contains("\"body\":\"x\"") && line.contains("\"n\":"), line);
      assertTrue(line.contains(line.contains("\"n\":1") ? "ts\":\"" : "\"sender_time\":\""), line);
      assertTrue(line.contains("\"" + ahead + "\""), line);
    }
  }

  /// What it says of its time, type, id or key is data then, and rules see its members.
  @Test
  void anObjectThatTheRulesOfJsonLinesRefuseKeepsItsMembers() throws Exception {
    Map<String, String> shown =
        Map.of(
            "{\"ts\":\"soon\",\"msg\":\"a\"}",
            "\"sender_time\":\"soon\"",
            "{\"type\":7,\"msg\":\"b\",\"ts\":\"2026-01-02T03:04:06Z\"}",
            "\"attributes.type\":7",
            "{\"type\":{\"x\":7},\"msg\":\"c\"}",
            "\"type.x\":7",
            "{\"_id\":\"5f12\",\"ts\":\"never\",\"msg\":\"d\"}",
            "\"_id\":\"5f12\"",
            "{ \"_key\":1,\"msg\":\"e\"}",
            "\"_key\":1");
    String summary =
        ship(
            "2026-01-02T03:04:05Z before\n"
                + String.join("\n", shown.keySet())
                + "\n{\"msg\":\"good\"}\n");
    assertTrue(summary.startsWith("7 events stored, 0 repeated, 0 refused; "), summary);
    List<String> found = stored();
    shown.forEach((line, member) -> {
      String body = "\"body\":\"" + line.replaceAll(".*\"msg\":\"(.)\".*", "$1") + "\"";
      String event =
          found.stream().filter(one -> one.contains(body)).findFirst().orElse(found.toString());
      assertTrue(event.contains(member), event);
      assertTrue(event.contains("\"type\":\"t\""), event);
      boolean ownTime = body.contains("\"b\"");
      assertTrue(!ownTime || event.contains("2026-01-02T03:04:06"), event);
    });
    String again = ship(Files.readString(log));
    assertTrue(again.startsWith("0 events stored, 7 repeated, 0 refused; "), again);
  }

  @Test
  void whatOnlyLooksLikeAnObjectIsText() throws Exception {
    List<String> lines =
        List.of("{not json}", "{\"a\":1} and {b}", "{\"" + "n".repeat(300) + "\":1}");
    String summary = ship("2026-01-02T03:04:05Z before\n" + String.join("\n", lines) + "\n");
    assertTrue(summary.startsWith("4 events stored, 0 repeated, 0 refused; "), summary);
    List<String> found = stored();
    for (String line : lines) {
      String body = "\"body\":\"" + line.replace("\"", "\\\"") + "\"";
      String event =
          found.stream().filter(one -> one.contains(body)).findFirst().orElse(found.toString());
      assertTrue(event.contains("2026-01-02T03:04:05"), event);
      assertTrue(event.contains("\"type\":\"t\""), event);
    }
  }

  @Test
  void aBatchThatIsRefusedAsAWholeIsTakenToItsLastLine() throws Exception {
    Instant ahead = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(9, ChronoUnit.HOURS);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 730; i++) {
      text.append(ahead).append(i % 7 == 0 ? " same\n" : " line " + i + "\n");
      text.append(i % 5 == 0 ? "{\"type\":7,\"msg\":\"x\"}\n" : "");
    }
    int count = (int) text.chars().filter(c -> c == '\n').count();
    String summary = ship(text.toString());
    assertTrue(
        summary.startsWith("%d events stored, 0 repeated, 0 refused; ".formatted(count)), summary);
    assertEquals(count, stored().size());
  }

  private static FileBatch batch(int lines) {
    byte[] bytes =
        IntStream.range(0, lines)
            .mapToObj("line %d%n"::formatted)
            .reduce("", String::concat)
            .getBytes(UTF_8);
    RecordFormat rules = RecordFormat.of(RecordFormat.Format.auto, null).withZone(ZoneOffset.UTC);
    FileLabels labels = FileLabels.ofInput("t", Map.of());
    byte[] slack = Arrays.copyOf(bytes, bytes.length + Swar.SLACK_BYTES);
    RecordReader.Made made =
        new RecordReader(rules).read(slack, bytes.length, labels, TimeParser.NONE, NOW, true);
    return new FileBatch("f", "t", 0, NOW, "key", made, new byte[0], false);
  }

  private static String text(Delivery delivery) {
    return new String(delivery.json(), UTF_8);
  }

  /// A line of standard input may be an envelope of many events.
  @Test
  void refusalsOfEventsThatAreNoLinesAreTold() {
    List<BatchResponse.Refusal> reasons = List.of(new BatchResponse.Refusal(7, FUTURE));
    Delivery.Remedy remedy = batch(2).remedy(new BatchResponse(10, 0, 1, reasons));
    assertEquals(List.of(), remedy.again());
    assertEquals(1, remedy.answer().refused());
  }

  @Test
  void whatIsPastItsRetentionStaysRefused() {
    BatchResponse.Refusal old = new BatchResponse.Refusal(0, "older than the retention of 7d");
    Delivery.Remedy remedy = batch(2).remedy(new BatchResponse(1, 0, 1, List.of(old)));
    assertEquals(List.of(), remedy.again());
    assertEquals(List.of(old), remedy.answer().reasons());
    assertEquals(1, remedy.answer().refused());
  }

  @Test
  void whatIsRefusedAgainForTheSameReasonIsTold() {
    BatchResponse ahead = new BatchResponse(1, 0, 1, List.of(new BatchResponse.Refusal(0, FUTURE)));
    Delivery again = batch(2).remedy(ahead).again().getFirst();
    assertEquals("{\"body\":\"line 0\"}\n", text(again));
    assertEquals("record 1 after byte 0 of f", again.place(0));
    Delivery.Remedy last = again.remedy(ahead);
    assertEquals(List.of(), last.again());
    assertEquals(1, last.answer().refused());
  }

  @Test
  void whatIsRefusedWithoutBeingListedIsSentInPieces() {
    List<BatchResponse.Refusal> listed =
        IntStream.range(0, 100)
            .mapToObj(index -> new BatchResponse.Refusal(index, FUTURE))
            .toList();
    Delivery.Remedy remedy = batch(350).remedy(new BatchResponse(0, 0, 350, listed));
    assertEquals(0, remedy.answer().refused());
    assertEquals(4, remedy.again().size());
    String all = remedy.again().stream().map(SecondTryTest::text).reduce("", String::concat);
    assertEquals(350, all.lines().distinct().count());
    assertEquals(
        4, remedy.again().stream().map(Delivery::key).distinct().count(), "each has its own key");
    Delivery piece = remedy.again().getFirst();
    assertEquals(100, text(piece).lines().count());
    Delivery.Remedy lines = piece.remedy(new BatchResponse(0, 0, 100, List.of()));
    assertEquals(100, lines.again().size(), "one by one");
    Delivery.Remedy one = lines.again().getFirst().remedy(new BatchResponse(0, 0, 1, List.of()));
    assertEquals(1, one.again().size());
  }

  @Test
  void aBatchThatIsTooLargeIsHalved() {
    String why = "its batch does not fit into the memory of one group; send smaller batches";
    List<BatchResponse.Refusal> both =
        List.of(
            new BatchResponse.Refusal(0, why),
            new BatchResponse.Refusal(1, why),
            new BatchResponse.Refusal(2, why));
    Delivery.Remedy remedy = batch(3).remedy(new BatchResponse(0, 0, 3, both));
    assertEquals(2, remedy.again().size());
    assertEquals("{\"body\":\"line 0\"}\n{\"body\":\"line 1\"}\n", text(remedy.again().getFirst()));
  }
}
