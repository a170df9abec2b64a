package io.widerow.loadgen.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: events have the fields of a line, and whole lines are drawn. Method: the log of the tool,
/// drawn many times, and files with one form of line each.
class FieldLogTest {
  @TempDir private Path directory;

  private static List<Sample> draw(@Nullable Path file, int count) {
    FieldLog log = new FieldLog(new SplittableRandom(1), file);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(log.next("web"));
    }
    return samples;
  }

  private Path file(String... lines) throws IOException {
    return Files.write(directory.resolve("log"), List.of(lines));
  }

  private static long distinct(List<Sample> samples, String field) {
    return samples.stream().map(sample -> String.valueOf(sample.text(field))).distinct().count();
  }

  private static String fields(Sample sample) {
    return sample.attributes().stream()
        .map(attribute ->
            attribute.name() + "=" + attribute.text() + "/" + attribute.kind().name().charAt(0))
        .collect(Collectors.joining(" "));
  }

  @Test
  void drawnEventsResembleTheRealLog() {
    List<Sample> samples = draw(null, 100_000);
    assertTrue(distinct(samples, "client") > 1_700, "clients");
    assertTrue(distinct(samples, "path") > 1_400, "paths");
    assertTrue(distinct(samples, "agent") > 500, "agents");
    assertTrue(distinct(samples, "status") >= 6, "statuses");
    long found = samples.stream().filter(sample -> "200".equals(sample.text("status"))).count();
    assertTrue(found > 89_000 && found < 93_000, found + " with status 200");
    long unsized = samples.stream().filter(sample -> sample.text("bytes") == null).count();
    assertTrue(unsized > 6_000 && unsized < 8_000, unsized + " without bytes");
    Set<Sample> lines = new HashSet<>(samples);
    assertTrue(lines.size() > 8_000 && lines.size() <= 10_000, lines.size() + " lines");
  }

  @Test
  void eventHasTheFieldsOfItsLine() throws IOException {
    String line =
        "10.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"POST /a?b=\\\"c\\\" HTTP/1.0\" 404 %s"
            + " \"-\" \"Agent \\\"quoted\\\" 1.0\" extra";
    Sample sample = draw(file(line.replace("\\\"c\\\"", "c").formatted("2326")), 1).getFirst();
    assertEquals("POST /a?b=c", sample.body());
    assertEquals(
        "client=10.0.0.1/T method=POST/T path=/a?b=c/T status=404/L bytes=2326/L referrer=-/T"
            + " agent=Agent \\\"quoted\\\" 1.0/T",
        fields(sample));
    Sample unsized = draw(file(line.replace("\\\"c\\\"", "c").formatted("-")), 1).getFirst();
    assertEquals(null, unsized.text("bytes"));
  }

  @Test
  void otherLinesAreLeftOut() throws IOException {
    String right = "h - - [x] \"GET /p HTTP/1.1\" 200 1 \"-\" \"a\"";
    List<Sample> samples =
        draw(
            file(
                "no log line",
                "h - - [x] \"-\" 400 0 \"-\" \"-\"",
                right.replace("/p", "/" + Stamp.SEQUENCE.mark()),
                right),
            50);
    assertEquals(Set.of("GET /p"), samples.stream().map(Sample::body).collect(Collectors.toSet()));
  }

  @Test
  void fileWithoutLinesIsRefused() throws IOException {
    Path none = file("{\"json\":1}");
    var refused = assertThrows(IllegalArgumentException.class, () -> draw(none, 1));
    assertEquals(
        "--lines: no line of " + none + " is in the combined log format, got '{\"json\":1}'",
        refused.getMessage());
    Path absent = directory.resolve("absent");
    refused = assertThrows(IllegalArgumentException.class, () -> draw(absent, 1));
    assertEquals("--lines: cannot read " + absent + " (NoSuchFileException)", refused.getMessage());
  }
}
