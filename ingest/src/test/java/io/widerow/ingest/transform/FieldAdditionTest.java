package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.receive.json.SampleLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Transforms that add fields, move events and sample them: their effect, their failures and their
/// counts.
class FieldAdditionTest {
  private static final String LINE =
      "{\"body\":\"1.2.3.4 - - [x] \\\"GET /a HTTP/1.1\\\" 200 5\",\"status\":\"own\"}";

  @TempDir Path directory;

  private static void assertBecomes(String rules, String line, String... expected) {
    assertEquals(List.of(expected), Transformed.of(rules, line).events());
  }

  @Test
  void theFieldsOfTheEventWinUnlessOverwritten() {
    String body = "body=1.2.3.4 - - [x] \"GET /a HTTP/1.1\" 200 5, bytes=5, client=1.2.3.4, ";
    String rest = "method=GET, path=/a, protocol=HTTP/1.1, status=%s, time=x}";
    assertBecomes("parse as clf", LINE, "t{" + body + rest.formatted("own"));
    assertBecomes("parse body as clf overwrite", LINE, "t{" + body + rest.formatted("200"));
    assertBecomes(
        "parse as regexp /(?P<body>GET)/ overwrite", "{\"body\":\"a GET b\"}", "t{body=GET}");
  }

  @Test
  void aTextOfAnotherFormatStays() {
    assertBecomes("parse as json", "{\"body\":\"x\"}", "t{body=x}");
    assertBecomes("parse n as json", "{\"n\":7}", "t{n=7}");
    assertBecomes("parse as json", "{\"a\":1}", "t{a=1}");
    assertBecomes(
        "parse as json\nwhen exists a.b then set c = 1",
        "{\"body\":\"{\\\"a\\\":{\\\"b\\\":[1]}}\"}",
        "t{a.b=[1], body={\"a\":{\"b\":[1]}}, c=1}");
  }

  @Test
  void ofAFieldThatATextHasTwiceTheFirstCounts() {
    String request = "request: \\\"%s / HTTP/1.1\\\"";
    String body =
        "2026/11/30 02:10:42 [error] 1#2: x, client: a, %s, %s"
            .formatted(request.formatted("GET"), request.formatted("POST"));
    Transformed of = Transformed.of("parse as nginx", "{\"body\":\"%s\"}".formatted(body));
    assertEquals("GET", of.stored().getFirst().attributes().get("method"));
    assertEquals(10, of.stored().getFirst().attributes().size());
  }

  @Test
  void laterRulesSeeTheNewType() {
    assertBecomes(
        """
        move to type "u"
        when type = "t" then set a = 1
        when type = "u" then set b = 2
        move to type 'a longer type'
        when type has "longer" then set c = 3
        when type = "u" then drop event\
        """,
        "{\"x\":1}\n{\"type\":\"u\",\"x\":2}",
        "a longer type{b=2, c=3, x=1}",
        "a longer type{b=2, c=3, x=2}");
    assertBecomes("move to type \"t\"", "{\"x\":1}", "t{x=1}");
  }

  @Test
  void aRuleThatWouldMakeTheEventTooLargeIsPassedOver() {
    String wide =
        IntStream.range(0, 995).mapToObj(i -> "\"k" + i + "\":1").collect(Collectors.joining(","));
    Transformed ruled =
        Transformed.of("parse as clf\nset z = 1", "{" + wide + "," + LINE.substring(1));
    assertEquals(List.of(), ruled.refused());
    assertEquals(998, ruled.stored().getFirst().attributes().size(), "two of its own, and z");
    String small = "{\"body\":\"a=1 b=2 " + "x".repeat(100) + "\"}";
    assertEquals(
        1, Transformed.of("parse as logfmt", small, 160).stored().getFirst().attributes().size());
    assertEquals(
        3, Transformed.of("parse as logfmt", small, 400).stored().getFirst().attributes().size());
  }

  @Test
  void aSampleKeepsItsShareAndEqualEventsTogether() {
    String lines =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "{\"ts\":%d,\"n\":%d,\"g\":%d}".formatted(1_700_000_000 + i, i, i % 100))
            .collect(Collectors.joining("\n"));
    Transformed some = Transformed.of("sample 10%", lines);
    assertEquals(1_000, some.stored().size(), 120);
    assertEquals(some.events(), Transformed.of("sample 10%", lines).events());
    Transformed groups = Transformed.of("sample 25% by g", lines);
    assertEquals(0, groups.stored().size() % 100, "whole groups");
    assertEquals(2_500, groups.stored().size(), 1_300);
    assertEquals(10_000, Transformed.of("sample 1% by absent", lines).stored().size());
  }

  @Test
  void aTableAddsItsRow() throws IOException, TransformMistake {
    Path table = directory.resolve("t.csv");
    Path _ = Files.writeString(table, "key,a,b\n7,x,\"y, z\"\n8,,1\n7,second,\n");
    String rules = "lookup 't.csv' by k\nlookup 't.csv' by j overwrite";
    TransformSet set = TransformSet.parse(rules, 0, directory);
    Transformed ruled =
        Transformed.of(
            new TransformRun(set),
            "{\"k\":7}\n{\"k\":8,\"b\":true}\n{\"k\":9}\n{\"j\":\"8\",\"b\":true}\n{}"
                .getBytes(StandardCharsets.UTF_8),
            1 << 20);
    assertEquals(
        List.of("t{a=x, b=y, z, k=7}", "t{b=true, k=8}", "t{k=9}", "t{b=1, j=8}", "t{}"),
        ruled.events());
    TransformMistake none =
        assertThrows(TransformMistake.class, () -> TransformSet.parse(rules, 0));
    assertTrue(String.valueOf(none.getMessage()).contains("lookup reads a file"));
    Path _ = Files.writeString(table, "key\n7\n");
    TransformMistake narrow =
        assertThrows(TransformMistake.class, () -> TransformSet.parse(rules, 0, directory));
    assertTrue(String.valueOf(narrow.getMessage()).contains("one more column"));
  }

  @Test
  void aChangedTableIsReadAgain() throws IOException {
    Path table = directory.resolve("t.csv");
    Path file = directory.resolve("rules");
    Path _ = Files.writeString(table, "key,a\n7,x\n");
    Path _ = Files.writeString(file, "lookup \"t.csv\" by k\nset z = 1");
    TransformFile transforms = new TransformFile(file, () -> 0);
    TransformFile.OfRule none = new TransformFile.OfRule(1, 0, 0);
    assertEquals(List.of(none, new TransformFile.OfRule(2, 0, 0)), transforms.byRule());
    Path _ = Files.writeString(table, "key\n7\n");
    transforms.reload();
    assertTrue(String.valueOf(transforms.problem()).contains("one more column"));
    Path _ = Files.writeString(table, "key,a,b\n7,x,yy\n");
    transforms.reload();
    assertEquals(null, transforms.problem());
  }

  @Test
  void aTrialShowsEachStep() throws TransformMistake {
    String rules =
        """
        parse as logfmt

        when level = warn then set a = 1 # a comment
        when level = error then drop event
        drop b
        parse x as json
        drop event
        """;
    TransformSet set = TransformSet.parse(rules, 0);
    List<String> effects = new ArrayList<>();
    String sample = "{\"body\":\"level=warn\",\"x\":\"no\"}";
    List<TransformTrial.Step> steps =
        TransformTrial.run(set, batch -> SampleLine.decode("s", sample, batch), 0);
    steps.forEach(step -> effects.add(step.line() + " " + step.effect()));
    assertEquals(
        List.of(
            "0 sample", "1 changed", "3 changed", "4 passed", "5 same", "6 failed", "7 dropped"),
        effects);
    assertEquals(
        "{\"type\":\"s\",\"a\":1,\"body\":\"level=warn\",\"level\":\"warn\",\"x\":\"no\"}",
        steps.get(2).event());
    String line = TransformTrial.lines(steps, rules).lines().toList().get(2);
    assertTrue(line.startsWith("{\"line\":3,\"rule\":\"when level = warn then set a"), line);
    assertEquals(
        "{\"type\":\"s\",\"body\":\"plain\"}",
        TransformTrial.run(set, batch -> SampleLine.decode("s", "plain", batch), 0)
            .getFirst()
            .event());
  }
}
