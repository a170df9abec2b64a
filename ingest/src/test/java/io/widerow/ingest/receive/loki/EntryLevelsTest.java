package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.ProtobufReader;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a pushed entry has the level that Loki's distributor finds. Method: each source and word
/// in a table, the precedence of sources, and random lines against an expression of Java.
class EntryLevelsTest {
  private static final Pattern WORD =
      Pattern.compile(
          "(?i)(?:^|(?<=[ \\t\\n\\[({\"'=|]))"
              + "(trace|debug|fatal|critical|error|err|warning|warn|info)"
              + "(?:$|(?=[ \\t\\n\\[\\](){}:,!\"'=|]))");

  private static @Nullable Object level(String labels, String line, String... metadata) {
    byte[] push = stream(labels, entry(1, "first"), entry(2, line, metadata), entry(3, "last"));
    List<MemoryStore.Stored> events = Decoding.of(push, LokiFuzz::protobuf).stored();
    return events.get(1).attributes().get("detected_level");
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource(
      delimiter = '>',
      quoteCharacter = '^',
      value = {
        "trace a > trace",
        "a TRC > unknown",
        "a Debug: b > debug",
        "[fatal] > fatal",
        "(critical) > critical",
        "{error} > error",
        "|err| > error",
        "'warn' > warn",
        "a=warning > warn",
        "info! > info",
        "misc:error > unknown",
        "an error. > unknown",
        "terror errors > unknown",
        "warn then error > warn",
        "wrn inf dbg > unknown",
        "a -error b > unknown",
        "level=warn error > warn",
        "error level=warn > warn",
        "error level=nothing > error",
        "LEVEL=Error a > error",
        "a=b Severity=\"INFORMATION\" > info",
        "lvl=dbg severity=wrn > warn",
        "level=alert > critical",
        "lvl=vrb > trace",
        "level=ftl > fatal",
        "level=30 > info",
        "msg=\"a level=inf b\" x=1 > unknown",
        "msg=\"a level=wrn b\" level=inf > info",
        "a\"b level=inf > unknown",
        "=a level=inf > unknown",
        "{\"level\":\"WRN\",\"msg\":\"error\"} > warn",
        "  {\"a\":[{\"level\":\"error\"}],\"lvl\" : \"Dbg\"} > debug",
        "{\"log\":{\"level\":\"error\"}} > error",
        "{\"a\":{\"b\":{\"level\":\"warning\"}},\"c\":1} > warn",
        "{\"a\":{\"b\":{\"level\":\"crit\"}}} > unknown",
        "{\"a\":{\"b\":1},\"SEVERITY\":\"crit\"} > critical",
        "{\"a\":\"\\\"level\\\":\\\"crit\\\"\",\"level\":\"notice\"} > info",
        "{\"level\":50,\"msg\":\"info\"} > error",
        "{\"level\":60} > fatal",
        "{\"level\":20} > debug",
        "{\"level\":10} > trace",
        "{\"level\":999,\"severity\":\"err\"} > error",
        "{\"level\":\"x\",\"severity\":\"wrn\"} > unknown",
        "{\"level\":\"inf\" > unknown",
        "{\"level\": > unknown",
        "{\"level\" > unknown",
        "nothing > unknown",
        "^^ > unknown",
      })
  void aLineHasALevel(String line, String level) {
    assertEquals(level, level("{app=\"x\"}", line));
  }

  @Test
  void everyNameIsALevelAsLabelAndAsMetadata() {
    Map<String, String> words =
        Map.of(
            "TRC",
            "trace",
            "Dbg",
            "debug",
            "information",
            "info",
            "Wrn",
            "warn",
            "err",
            "error",
            "CRITICAL",
            "critical",
            "ftl",
            "fatal",
            "audit",
            "audit",
            "Two words",
            "Two words");
    for (String name : EntryLevels.NAMES) {
      words.forEach((sent, level) -> {
        assertEquals(level, level("{app=\"x\",\"" + name + "\"=\"" + sent + "\"}", "error"));
        assertEquals(level, level("{app=\"x\"}", "error", "k", "v", name, sent), name);
      });
    }
    for (String name : List.of("LeVeL", "levels", "severity_texts", "loglevel")) {
      assertEquals("error", level("{app=\"x\",\"" + name + "\"=\"info\"}", "error"), name);
    }
  }

  @Test
  void sourcesHaveAPrecedence() {
    List<String> names = EntryLevels.NAMES;
    for (int i = 1; i < names.size(); i++) {
      String labels = "{%s=\"warn\",%s=\"info\"}".formatted(names.get(i), names.get(i - 1));
      assertEquals("info", level(labels.replace("log.level", "\"log.level\""), "error"));
      assertEquals("info", level("{}", "error", names.get(i), "warn", names.get(i - 1), "info"));
    }
    assertEquals("info", level("{lvl=\"info\"}", "error", "level", "warn"), "labels first");
    String[] own = {"level", "warn", "detected_level", "DEBUG", "severity_number", "17"};
    assertEquals("debug", level("{level=\"info\"}", "error", own));
    assertEquals("debug", level("{}", "error", own));
    assertEquals("Own", level("{level=\"info\"}", "error", "detected_level", "Own"));
    assertEquals("warn", level("{}", "error", "severity_number", "1", "lvl", "warn"));
    assertEquals("x", level("{detected_level=\"x\"}", "error"), "the label of the stream");
    assertEquals("error", level("{}", "error", "level", ""), "no level");
    assertEquals("info", level("{}", "error", "severity_number", "x"), "no whole number");
    assertEquals("trace", level("{}", "error", "severity_number", "-3"));
    assertEquals("unknown", level("{}", "error", "severity_number", "+99"));
    for (int number = 0; number <= 25; number++) {
      String expected =
          number == 0 || number == 25
              ? "unknown"
              : List.of("trace", "debug", "info", "warn", "error", "fatal").get((number - 1) / 4);
      assertEquals(expected, level("{}", "error", "severity_number", "" + number));
    }
  }

  @Test
  void aNumberOfJsonIsALevelToo() {
    String push =
        "{\"streams\":[{\"stream\":{\"a\":\"b\"},\"values\":[[\"1\",\"error\",{\"level\":30}],"
            + "[\"2\",\"error\",{\"level\":5000}],[\"3\",\"\\u0065rror\"]]}]}";
    assertEquals(
        List.of("info", "unknown", "error"),
        Decoding.of(push, LokiFuzz::json).stored().stream()
            .map(event -> event.attributes().get("detected_level"))
            .toList());
  }

  @Test
  void noneIsFoundWhenTheKeyIsFalse() {
    byte[] own = entry(1, "error", "detected_level", "WARN");
    Decoding.Result result =
        Decoding.of(
            stream("{level=\"info\"}", own, entry(1, "error")),
            (body, limit, batch) -> {
              try {
                new LokiProtobufDecoder(null, false).decode(body, limit, batch);
              } catch (ProtobufReader.Bad bad) {
                throw new AssertionError(bad);
              }
            });
    List<MemoryStore.Stored> events = result.stored();
    assertEquals("WARN", events.getFirst().attributes().get("detected_level"), "as it was sent");
    assertFalse(events.get(1).attributes().containsKey("detected_level"));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void theFirstWordBetweenBoundsIsTheLevel(long seed) {
    var random = new SplittableRandom(seed);
    String[] pieces = {
      "trace",
      "debug",
      "fatal",
      "critical",
      "error",
      "err",
      "warn",
      "warning",
      "info",
      "ERROR",
      "Info",
      "in",
      "e",
      "x",
      "ü",
      " ",
      "\t",
      "\n",
      "[",
      "]",
      "(",
      ")",
      "{",
      "}",
      "'",
      "|",
      ",",
      ":",
      "!",
      ".",
      "-",
      "1"
    };
    for (int round = 0; round < 500; round++) {
      StringBuilder line = new StringBuilder();
      for (int i = random.nextInt(8); i >= 0; i--) {
        line.append(pieces[random.nextInt(pieces.length)]);
      }
      Matcher found = WORD.matcher(line);
      String word = found.find() ? found.group(1).toLowerCase(Locale.ROOT) : "unknown";
      String level = word.equals("err") ? "error" : word.equals("warning") ? "warn" : word;
      assertEquals(level, level("{}", line.toString()), line::toString);
    }
  }
}
