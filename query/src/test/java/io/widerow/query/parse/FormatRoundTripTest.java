package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.query.logql.line.Fields;
import io.widerow.query.logql.line.LineMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a format finds the fields that were written, in any text it is not misled, and it never
/// throws. Method: write lines of random fields and read them; cut, garble and mix them; compare
/// with LogQL's parser of logfmt and with an expression on a real access log.
class FormatRoundTripTest {
  private static final List<String> FORMATS =
      List.of(
          "json",
          "logfmt",
          "clf",
          "nginx",
          "haproxy",
          "postgres csv",
          "syslog",
          "pattern `<a> - <_> [<b>]`",
          "regexp /(?P<a>\\d+).(?P<b>.*)/",
          "grok `%{SYSLOGLINE}`",
          "sight");
  private static final String[] WORDS = {
    "",
    "-",
    "a",
    "GET",
    "x=y",
    "\"",
    "\\",
    "]",
    "[",
    " ",
    "é",
    "7",
    "-1.5",
    "true",
    "{",
    "}",
    ":",
    ",",
    "'",
    "\n",
    "\t",
    "1.2.3.4",
    "<",
    ">",
    "0/0",
    "\ud83d\ude00",
    "=",
    "/"
  };

  private static String text(SplittableRandom random, int words) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(words + 1); i > 0; i--) {
      text.append(WORDS[random.nextInt(WORDS.length)]);
    }
    return text.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void whatWasWrittenIsRead(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TextFormat logfmt = Parsed.format("logfmt");
    TextFormat json = Parsed.format("json");
    for (int i = 0; i < 200; i++) {
      Map<String, Object> fields = new LinkedHashMap<>();
      for (int n = random.nextInt(1, 8); n > 0; n--) {
        fields.put("k" + n, "v" + text(random, 5));
      }
      StringBuilder pairs = new StringBuilder();
      StringBuilder object = new StringBuilder("{");
      fields.forEach((name, value) -> {
        pairs.append(name).append("=\"").append(escaped(value, false)).append("\" ");
        object.append(object.length() == 1 ? "" : ",").append('"').append(name).append("\":\"");
        object.append(escaped(value, true)).append('"');
      });
      assertEquals(fields, Parsed.fields(logfmt, pairs.toString()), pairs.toString());
      assertEquals(fields, Parsed.fields(json, object + "}"), object.toString());
    }
  }

  private static String escaped(Object value, boolean json) {
    String text = value.toString().replace("\\", "\\\\").replace("\"", "\\\"");
    return json ? text.replace("\n", "\\n").replace("\t", "\\t") : text;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void anyBytesAreRead(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> lines = new ArrayList<>(lines());
    lines.add("{\"a\":{\"b\":[1,2]},\"c\":\"\\u00e9\"}");
    lines.add("<165>1 2003-10-11T22:14:15.003Z h a 8710 ID [ex@1 k=\"v\"] text");
    lines.add("Oct 11 22:14:15 host su[230]: text");
    lines.add("2026/11/30 02:10:42 [error] 1#1: *1 x, client: 1.2.3.4, server: a, host: \"b\"");
    lines.add("10.0.1.2:1 [06/Feb/2009:12:12:51.443] f b/s 0/0/5007 212 -- 0/0/0/0/3 0/0");
    lines.add("2026-11-30 x,\"a\"\"b\",,1,,1.5,1,,,,0,LOG,00000" + ",".repeat(10));
    for (String name : FORMATS) {
      TextFormat format = Parsed.format(name);
      for (int i = 0; i < 300; i++) {
        String line = lines.get(random.nextInt(lines.size()));
        byte[] bytes =
            (random.nextBoolean() ? line : text(random, 40)).getBytes(StandardCharsets.UTF_8);
        for (int n = random.nextInt(4); n > 0 && bytes.length > 0; n--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        var fields = Parsed.fields(format, cut, AttributeKind.BYTES);
        if (fields != null && fields.size() > ParsedText.FIELDS_MAX) {
          throw new AssertionError(fields.size() + " fields");
        }
      }
    }
  }

  /// Texts that repeat, then none that does, then more than memory has room for.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void whatIsRememberedIsWhatIsParsed(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TextFormat logfmt = Parsed.format("logfmt");
    ParsedTexts texts = new ParsedTexts(logfmt);
    AttributeValue value = new AttributeValue();
    for (int i = 0; i < 10_000; i++) {
      int number = i < 5_000 ? random.nextInt(1_500) : i;
      String line = "n=" + number + (number % 7 == 0 ? "" : " a=" + "x".repeat(number % 900));
      byte[] utf8 = line.getBytes(StandardCharsets.UTF_8);
      value.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
      assertEquals(Parsed.fields(logfmt, line), Parsed.fields(texts.of(value)), line);
    }
  }

  @Test
  void fieldsAreBounded() {
    StringBuilder pairs = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      pairs.append("k").append(i).append("=1 ");
    }
    var fields = Parsed.fields(Parsed.format("logfmt"), pairs.toString());
    assertEquals(ParsedText.FIELDS_MAX, Objects.requireNonNull(fields).size());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void logfmtIsThatOfLogql(long seed) { // which leaves out a=b=c, a=b" and a="\\0", as Loki does
    SplittableRandom random = new SplittableRandom(seed);
    TextFormat logfmt = Parsed.format("logfmt");
    for (int i = 0; i < 200; i++) {
      StringBuilder line = new StringBuilder("first=1");
      for (int n = random.nextInt(8); n > 0; n--) {
        line.append(' ').append("abc".charAt(random.nextInt(3))).append(random.nextInt(3));
        boolean hasValue = random.nextInt(4) > 0;
        String word = text(random, 3).replaceAll("[\"\\\\]", "");
        String escape = random.nextBoolean() ? "\\\"" : "\\\\";
        line.append(hasValue ? "=" : "");
        line.append(
            hasValue && random.nextBoolean()
                ? "\"" + word + escape + word + "\""
                : word.replace("=", ""));
      }
      Map<String, String> expected = new TreeMap<>();
      Fields.read(
          line.toString(), LineMemory.unlimited(), (label, value, _) -> expected.put(label, value));
      Map<String, String> found = new TreeMap<>();
      Objects.requireNonNull(Parsed.fields(logfmt, line.toString()))
          .forEach((name, value) -> found.put(name.replaceAll("[^a-z0-9]", "_"), value + ""));
      Map<String, String> named = new TreeMap<>();
      expected.forEach((name, value) -> named.put(name.replaceAll("[^a-z0-9]", "_"), value));
      assertEquals(named, found, line.toString());
    }
  }

  @Test
  void aRealAccessLogIsReadAsAnExpressionReadsIt() throws IOException {
    Pattern whole =
        Pattern.compile(
            "(\\S+) (\\S+) (.+?) \\[([^]]+)] \"((?:\\\\.|[^\"\\\\])*)\" (\\d{3}) (\\d+|-)"
                + "(?: \"((?:\\\\.|[^\"\\\\])*)\" \"((?:\\\\.|[^\"\\\\])*)\")?.*");
    TextFormat clf = Parsed.format("clf");
    int read = 0;
    for (String line : lines()) {
      Matcher expected = whole.matcher(line);
      Map<String, Object> fields = Parsed.fields(clf, line);
      if (!expected.matches()) {
        assertEquals(null, fields, line);
        continue;
      }
      read++;
      Map<String, Object> found = Objects.requireNonNull(fields, line);
      assertEquals(expected.group(1), found.get("client"), line);
      assertEquals(expected.group(4), found.get("time"), line);
      assertEquals(Long.valueOf(expected.group(6)), found.get("status"), line);
      assertEquals(expected.group(7), String.valueOf(found.getOrDefault("bytes", "-")), line);
      if (expected.group(9) != null) { // else the line was cut
        assertEquals(expected.group(8), found.getOrDefault("referrer", "-"), line);
        assertEquals(expected.group(9), found.getOrDefault("agent", "-"), line);
      }
      String request =
          found.containsKey("request")
              ? String.valueOf(found.get("request"))
              : "%s %s %s".formatted(found.get("method"), found.get("path"), found.get("protocol"));
      assertEquals(expected.group(5), request, line);
    }
    assertEquals(9_998, read, 2, "nearly all of ten thousand");
  }

  private static List<String> lines() throws IOException {
    return Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
  }
}
