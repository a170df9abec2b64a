package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: lines become the records that they are, in each form; a batch made again from its own
/// bytes is the same batch. Method: pieces of files as text, `;` for a newline; random pieces.
class RecordReaderTest {
  private static final long NOW = 1_790_000_000_000_000_000L;
  private static final FileLabels NO_LABELS = FileLabels.ofInput("t", Map.of());

  private static RecordReader.Made read(RecordFormat rules, byte[] bytes, boolean flush) {
    byte[] slack = Arrays.copyOf(bytes, bytes.length + Swar.SLACK_BYTES);
    return new RecordReader(rules)
        .read(slack, bytes.length, NO_LABELS, TimeParser.NONE, NOW, flush);
  }

  private static String json(RecordFormat rules, String text, boolean flush) {
    return new String(read(rules, text.getBytes(UTF_8), flush).json, UTF_8);
  }

  private static RecordFormat auto(@Nullable String start) {
    return RecordFormat.of(RecordFormat.Format.auto, start).withZone(ZoneOffset.UTC);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a;b;| {'body':'a'};{'body':'b'};",
        "a;b| {'body':'a'};",
        "a^;;b;| {'body':'a'};{'body':'b'};",
        "2026-01-02 03:04:05 x;y;|"
            + " {'ts':'2026-01-02T03:04:05Z','body':'2026-01-02 03:04:05 x'};"
            + "{'ts':'2026-01-02T03:04:05Z','body':'y'};",
        "{'a':1};{};{'a':;| {'a':1};{'body':'{}'};{'body':'{\\'a\\':'};",
        "2016-10-06T00:17:09.669794202Z stdout F x y;|"
            + " {'stream':'stdout','ts':'2016-10-06T00:17:09.669794202Z','body':'x y'};",
        "2016-10-06T00:17:09Z stderr P a;2016-10-06T00:17:10Z stderr F b;|"
            + " {'stream':'stderr','ts':'2016-10-06T00:17:09Z','body':'ab'};",
        "2016-10-06T00:17:09Z stdout F {'n':1};|"
            + " {'stream':'stdout','ts':'2016-10-06T00:17:09Z','n':1};",
        "2016-10-06T00:17:09Z stdout X a;|"
            + " {'ts':'2016-10-06T00:17:09Z','body':'2016-10-06T00:17:09Z stdout X a'};",
        "{'log':'x\\n','stream':'stdout','time':'2016-10-06T00:17:09Z'};|"
            + " {'stream':'stdout','ts':'2016-10-06T00:17:09Z','body':'x'};",
        "{'log':'x','stream':'stderr','time':'2016-10-06T00:17:09Z'};"
            + "{'log':'y\\n','stream':'stderr','attrs':{'tag':'q'},'time':'2016-10-06T00:17:10Z'};|"
            + " {'stream':'stderr','ts':'2016-10-06T00:17:09Z','body':'xy'};",
        "{'log':'\\u003ca\\u003e\\n','attrs':{'tag':'q'},'time':'2016-10-06T00:17:09Z'};|"
            + " {'ts':'2016-10-06T00:17:09Z','attrs':{'tag':'q'},'body':'<a>'};",
        "{'log':'x\\n','time':'never'};| {'log':'x\\n','time':'never'};",
      })
  void linesBecomeRecords(String lines, String expected) {
    String text = lines.replace(';', '\n').replace('^', '\r').replace('\'', '"');
    String wanted = expected.replace(';', '\n').replace('\'', '"');
    assertEquals(wanted, json(auto(null), text, false));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'host':'own','n':1}| {'file':'a.log','zone':'z','host':'own','n':1}",
        "{'file':1,'zone':[],'host':null}| {'file':1,'zone':[],'host':null}",
        "{'h\\u006fst':'own'}| {'file':'a.log','zone':'z','h\\u006fst':'own'}",
        "{'k':{'host':'x'},'t':'host'}|"
            + " {'file':'a.log','host':'here','zone':'z','k':{'host':'x'},'t':'host'}",
        "host| {'file':'a.log','host':'here','zone':'z','body':'host'}",
        "{'host':'own','n':}|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'host\\':\\'own\\',\\'n\\':}'}",
        "{'host':'own',}|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'host\\':\\'own\\',}'}",
        "{'host':'own'} x|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'host\\':\\'own\\'} x'}",
        "{'host':'own'}{}|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'host\\':\\'own\\'}{}'}",
        "{'host':'own'|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'host\\':\\'own\\''}",
        "{'stream':'s',1:2}|"
            + " {'file':'a.log','host':'here','zone':'z','body':'{\\'stream\\':\\'s\\',1:2}'}",
        "2016-10-06T00:17:09Z stdout F {'stream':'s','n':}|"
            + " {'file':'a.log','host':'here','zone':'z','stream':'stdout',"
            + "'ts':'2016-10-06T00:17:09Z','body':'{\\'stream\\':\\'s\\',\\'n\\':}'}",
        "2016-10-06T00:17:09Z stdout F {'stream':'s','n':1}|"
            + " {'file':'a.log','host':'here','zone':'z','ts':'2016-10-06T00:17:09Z',"
            + "'stream':'s','n':1}",
      })
  void anObjectKeepsItsOwnMembers(String line, String expected) {
    Map<String, String> given = new java.util.LinkedHashMap<>();
    given.put("host", "here");
    given.put("zone", "z");
    FileLabels labels = FileLabels.of(java.nio.file.Path.of("a.log"), "t", given);
    byte[] text = (line.replace('\'', '"') + "\n").getBytes(UTF_8);
    byte[] slack = Arrays.copyOf(text, text.length + Swar.SLACK_BYTES);
    RecordReader reader = new RecordReader(auto(null));
    byte[] json = reader.read(slack, text.length, labels, TimeParser.NONE, NOW, false).json;
    assertEquals(expected.replace('\'', '"') + "\n", new String(json, UTF_8));
  }

  @Test
  void aTraceStaysWithItsMessage() {
    String text =
        "2026-01-02 03:04:05 x\n  at a\n\n  at 2026-01-02 03:04:05\n2026-01-02 03:04:06 y\n";
    String first =
        "{\"ts\":\"2026-01-02T03:04:05Z\",\"body\":\"2026-01-02 03:04:05 x\\n  at a\\n\\n"
            + "  at 2026-01-02 03:04:05\"}\n";
    String second = "{\"ts\":\"2026-01-02T03:04:06Z\",\"body\":\"2026-01-02 03:04:06 y\"}\n";
    assertEquals(first, json(auto("time"), text, false), "the last one may go on");
    assertEquals(first + second, json(auto("time"), text, true));
    assertEquals(
        "{\"body\":\"# a\\nb\"}\n{\"body\":\"# c\"}\n", json(auto("#"), "# a\nb\n# c\n", true));
  }

  @Test
  void streamsOfAContainerAreApart() {
    String time = "2016-10-06T00:17:09Z ";
    String text =
        time
            + "stdout P a\n"
            + time
            + "stderr F e\n"
            + time
            + "stdout F b\n"
            + time
            + "stdout P c\n";
    RecordReader.Made made = read(auto(null), text.getBytes(UTF_8), false);
    assertEquals(2, made.events);
    assertTrue(new String(made.json, UTF_8).contains("\"body\":\"ab\""), "joined");
    assertEquals(text.lastIndexOf(time), made.consumed, "an incomplete record waits");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 64, 255, 256, 257, 1_000})
  void aLongLineIsCutBetweenCharacters(int chars) {
    RecordFormat rules = auto(null).withRecordBytesMax(256);
    String line = "é".repeat(chars);
    RecordReader.Made made = read(rules, (line + "\n").getBytes(UTF_8), false);
    String json = new String(made.json, UTF_8);
    assertEquals(2 * chars + 1, made.consumed);
    String joined =
        json.lines()
            .map(record -> record.replaceAll(".*\"body\":\"|\"}$", ""))
            .reduce("", String::concat);
    assertEquals(line, joined, "nothing is lost");
    assertEquals(2 * chars > 256, json.contains("\"widerow.cut\":true"), json);
  }

  @Test
  void whatIsNotUtf8StaysAsItIs() {
    byte[] made = read(auto(null), "a\u00e9\u0001b\n".getBytes(ISO_8859_1), false).json;
    assertArrayEquals("{\"body\":\"a\u00e9\\u0001b\"}\n".getBytes(ISO_8859_1), made);
  }

  @Test
  void zerosOfATruncatedFileAreSkipped() {
    assertEquals("{\"body\":\"x\"}\n", json(auto(null), "\0\0\0x\n", false));
  }

  static List<String> malformed() throws IOException {
    try (InputStream in = RecordReaderTest.class.getResourceAsStream("malformed.container")) {
      List<String> cases =
          new String(Objects.requireNonNull(in).readAllBytes(), UTF_8).lines().toList();
      assertTrue(cases.size() >= 60, cases.size() + " cases");
      return cases;
    }
  }

  /// A line that is nearly one of a container is text, byte for byte, and its neighbours are what
  /// they are.
  @ParameterizedTest
  @MethodSource("malformed")
  void aBadLineIsKeptWholeAndItsNeighboursToo(String bad) {
    String good = "2016-10-06T00:17:09Z stdout F good\n";
    byte[] line = expand(bad).getBytes(ISO_8859_1);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(good.getBytes(UTF_8));
    all.writeBytes(line);
    all.writeBytes(("\n" + good).getBytes(UTF_8));
    RecordReader.Made made = read(auto(null), all.toByteArray(), false);
    List<String> records = new String(made.json, ISO_8859_1).lines().toList();
    assertEquals(3, made.events, bad);
    assertEquals(3, records.size(), bad);
    String neighbour = "{\"stream\":\"stdout\",\"ts\":\"2016-10-06T00:17:09Z\",\"body\":\"good\"}";
    assertEquals(List.of(neighbour, neighbour), List.of(records.getFirst(), records.getLast()));
    JsonBuffer body = new JsonBuffer(16);
    body.put("\"body\":");
    body.putString(line, 0, line.length);
    String wanted = new String(body.copy(body.length()), ISO_8859_1) + "}";
    assertTrue(records.get(1).endsWith(wanted), records.get(1));
    assertFalse(records.get(1).contains("\"stream\":\"stdout\","), records.get(1));
  }

  /// `\xNN` stands for a byte, `{n*text*}` for a repetition.
  private static String expand(String text) {
    String bytes =
        Pattern.compile("\\\\x([0-9a-f]{2})")
            .matcher(text)
            .replaceAll(hex ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(hex.group(1), 16))));
    return Pattern.compile("\\{(\\d+)\\*(.)\\*}")
        .matcher(bytes)
        .replaceAll(repeated ->
            Matcher.quoteReplacement(
                repeated.group(2).repeat(Integer.parseInt(repeated.group(1)))));
  }

  /// What a restart rests on.
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aBatchMadeAgainIsTheSame(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      byte[] bytes = ShipFuzz.lines(random, 60);
      ShipFuzz.requireSame(bytes, bytes.length);
    }
  }
}
