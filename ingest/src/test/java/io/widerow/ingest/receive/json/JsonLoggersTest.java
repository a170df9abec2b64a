package io.widerow.ingest.receive.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: JSON as loggers write it becomes events with their time, their text and all the rest.
/// Method: lines of many loggers, each with the event that is expected, one at a time and all in
/// one body, twice, so that each follows another shape and its own; and documents.
class JsonLoggersTest {
  private static final String TIME = "\"ts\":\"2026-11-20T19:15:00Z\"";
  private static final long NANOS = 1_795_202_100_000_000_000L;

  /// A line of a logger, and the event that it becomes.
  record Sample(String name, String line, JsonNode expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Sample> samples() throws IOException {
    try (InputStream in = JsonLoggersTest.class.getResourceAsStream("loggers.ndjson")) {
      assertNotNull(in);
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      List<Sample> samples = new ArrayList<>();
      for (int i = 0; i < lines.size(); i += 3) {
        assertTrue(lines.get(i).startsWith("# "), lines.get(i));
        JsonNode expected = new ObjectMapper().readTree(lines.get(i + 2));
        samples.add(new Sample(lines.get(i).substring(2), lines.get(i + 1), expected));
      }
      return samples;
    }
  }

  private static Decoding.Result decode(JsonNames names, boolean documents, String text) {
    return Decoding.of(
        text,
        (body, limit, batch) ->
            new JsonLinesDecoder("t", names, documents).decode(body, 0, limit, batch));
  }

  private static List<MemoryStore.Stored> lines(String text) {
    Decoding.Result result = decode(JsonNames.KNOWN, false, text);
    assertEquals(0, result.refused().count(), text);
    return result.stored();
  }

  private static void assertStored(Sample sample, MemoryStore.Stored stored) {
    Instant time = Instant.parse(sample.expected.get("time").textValue());
    assertEquals(time, Instant.EPOCH.plusNanos(stored.timeNanos()), sample.line);
    Map<String, Object> expected = new TreeMap<>();
    if (sample.expected.has("body")) {
      expected.put("body", sample.expected.get("body").textValue());
    }
    for (Map.Entry<String, JsonNode> each : sample.expected.get("attributes").properties()) {
      JsonNode value = each.getValue();
      if (value.isTextual()) {
        expected.put(each.getKey(), value.textValue());
      } else if (value.isBoolean()) {
        expected.put(each.getKey(), value.booleanValue());
      } else if (value.isIntegralNumber()) {
        expected.put(each.getKey(), value.longValue());
      } else {
        expected.put(each.getKey(), value.doubleValue());
      }
    }
    assertEquals(expected, stored.attributes(), sample.line);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("samples")
  void lineOfALogger(Sample sample) {
    List<MemoryStore.Stored> stored = lines(sample.line + "\n" + sample.line);
    assertEquals(2, stored.size());
    stored.forEach(each -> assertStored(sample, each));
  }

  @Test
  void linesOfAllLoggersInOneBody() throws IOException {
    List<Sample> samples = samples();
    StringBuilder text = new StringBuilder();
    samples.forEach(sample -> text.append((sample.line + "\r\n").repeat(2)));
    List<MemoryStore.Stored> stored = lines(text.toString());
    assertEquals(2 * samples.size(), stored.size());
    for (int i = 0; i < stored.size(); i++) {
      assertStored(samples.get(i / 2), stored.get(i));
    }
  }

  @Test
  void fieldsThatTheSenderNames() {
    JsonNames names = JsonNames.of("", "at", "event", "uuid", "");
    String id = "7c85d1ee-e874-11f1-ab80-81808080808c";
    MemoryStore.Stored stored =
        decode(
                names,
                false,
                "{\"at\":1795202100,\"ts\":5,\"event\":\"click\",\"body\":\"b\","
                    + "\"msg\":\"m\",\"_id\":1}")
            .stored()
            .getFirst();
    assertEquals(NANOS, stored.timeNanos());
    assertEquals(
        Map.of("ts", 5L, "body", "click", "attributes.body", "b", "msg", "m", "_id", 1L),
        stored.attributes());
    Decoding.Result own = decode(names, false, "{\"uuid\":\"" + id + "\"}\n{\"at\":\"soon\"}\n{}");
    assertEquals(id, String.valueOf(own.stored().getFirst().ownId()));
    assertEquals("soon", own.stored().get(1).attributes().get("sender_time"));
    assertEquals(0, own.refused().count());
    assertEquals(Decoding.ARRIVAL_NANOS, own.stored().getLast().timeNanos());
  }

  @Test
  void theTypeIsAnyMember() {
    String line = "{\"service\":\"cart\",\"type\":7,\"k8s\":{\"app\":\"shop\"}}";
    for (String name : List.of("service", "k8s.app")) {
      Decoding.Result result =
          decode(
              JsonNames.of(name, "", "", "", ""),
              false,
              line + "\n" + line + "\n{\"type\":{\"of\":1}}\n{\"service\":7,\"k8s\":{\"app\":[]}}");
      boolean nested = name.contains(".");
      Map<String, Object> others =
          nested ? Map.of("service", "cart", "type", 7L) : Map.of("k8s.app", "shop", "type", 7L);
      List<MemoryStore.Stored> stored = result.stored();
      for (MemoryStore.Stored event : stored.subList(0, 2)) { // the second by its shape
        assertEquals(nested ? "shop" : "cart", event.type());
        assertEquals(others, event.attributes());
      }
      assertEquals(3, stored.size());
      assertEquals(Map.of("type.of", 1L), stored.getLast().attributes());
      assertEquals(name + " must be a string", result.refused().reason(0));
    }
  }

  @Test
  void aNestedFieldThatTheSenderNames() {
    MemoryStore.Stored stored =
        decode(
                JsonNames.of("", "log.time", "log.message", "", ""),
                false,
                "{\"log\":{\"time\":1795202100,\"message\":\"m\",\"level\":\"i\"},"
                    + "\"message\":\"n\"}")
            .stored()
            .getFirst();
    assertEquals(NANOS, stored.timeNanos());
    assertEquals(Map.of("body", "m", "log.level", "i", "message", "n"), stored.attributes());
  }

  @Test
  void anIdOfAnApplicationIsData() {
    List<MemoryStore.Stored> stored =
        lines(
            """
            {"id":"order-17","msg":"a"}
            {"id":17,"msg":"a"}
            {"id":{"a":1},"msg":"a"}
            {"id":"7c85d1ee-e874-11f1-ab80-81808080808c","msg":"a"}
            {"_id":"7c85d1ee-e874-11f1-ab80-81808080808c","msg":"a"}
            """);
    assertEquals("order-17", stored.get(0).attributes().get("id"));
    assertEquals(17L, stored.get(1).attributes().get("id"));
    assertEquals(1L, stored.get(2).attributes().get("id.a"));
    assertEquals("7c85d1ee-e874-11f1-ab80-81808080808c", stored.get(3).attributes().get("id"));
    stored.subList(0, 4).forEach(each -> assertEquals(null, each.ownId()));
    assertEquals("7c85d1ee-e874-11f1-ab80-81808080808c", String.valueOf(stored.get(4).ownId()));
  }

  @Test
  void whatAQueryShowedComesBackAsItWas() {
    MemoryStore.Stored stored =
        decode(
                JsonNames.of("", "", "", "id", ""),
                false,
                "{\"id\":\"7c85d1ee-e874-11f1-ab80-81808080808c\","
                    + "\"ts\":\"2026-11-25T02:04:02.8191214Z\","
                    + "\"type\":\"t\",\"body\":\"b\",\"attributes.id\":\"order-17\","
                    + "\"attributes.attributes.ts\":1,\"attributes.n\":2}")
            .stored()
            .getFirst();
    assertEquals("7c85d1ee-e874-11f1-ab80-81808080808c", String.valueOf(stored.ownId()));
    assertEquals(
        Map.of("body", "b", "id", "order-17", "attributes.ts", 1L, "attributes.n", 2L),
        stored.attributes());
  }

  /// Each line is an object without its braces, and the attributes expected.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`'a':1,'a':2`|a=2, widerow.member={'a':1}",
        "`'a':1,'b':2,'a':'x','b':true`|a=x, b=true, widerow.member={'a':1,'b':2}",
        "`'a.b':1,'a':{'b':2}`|a.b=2, widerow.member={'a.b':1}",
        "`'a':{'b':1},'a.b':2,'a':{'c':3}`|a.b=2, a.c=3, widerow.member={'a.b':1}",
        "`'msg':'1','msg':'2'`|body=2, msg=1",
        "`'body':'1','msg':'2','body':'3'`|body=3, msg=2, widerow.member={'body':'1'}",
        "`'type':'u','type':'t'`|type=u",
        "`'ts':5,'ts':6`|ts=5",
        "`'ts':null,'ts':6`|",
        "`'ts':true,'ts':'2026-01-02','ts':6`|ts=2026-01-02, widerow.member={'ts':'true'}",
        "`'ts':{'x':[1]},'ts':6`|ts={'x':[1]}",
        "`'a':'\\ud800'`|a=\\ud800, widerow.escaped=1",
        "`'a':'x\\udc00y\\ud83d\\ude00'`|a=x\\udc00y\uD83D\uDE00, widerow.escaped=1",
        "`'a':'\\ud800\\ud800\\u0041'`|a=\\ud800\\ud800A, widerow.escaped=2",
        "`'\\udfff':1`|\\udfff=1, widerow.escaped=1",
        "`'a':['\\ud800']`|a=['\\ud800']",
        "`'MESSAGE':[104,105]`|body=hi",
        "`'MESSAGE':[104,233]`|body=h\\xE9, widerow.escaped=1",
        "`'MESSAGE':['one','two','three']`|body=one, body.2=two, body.3=three",
        "`'MESSAGE':[1,256]`|MESSAGE=[1,256]",
        "`'MESSAGE':[]`|MESSAGE=[]",
        "`'message':'at {}','arguments':['x'],'formattedMessage':'at x'`"
            + "|arguments=['x'], body=at x, message=at {}"
      })
  void oddMembersDoNotLoseTheEvent(String members, String expected) {
    String line = "{" + members.replace('\'', '"') + "}\n";
    for (MemoryStore.Stored stored : lines(line + "{\"a\":0}\n" + line + line)) {
      String attributes = stored.attributes().toString().replace('"', '\'');
      if (!attributes.equals("{a=0}")) {
        assertEquals("{" + (expected == null ? "" : expected) + "}", attributes);
      }
    }
    assertEquals(4, lines(line + "{\"a\":0}\n" + line + line).size());
  }

  private static List<String> bodies(String text, int refused) {
    Decoding.Result result = decode(JsonNames.KNOWN, true, text);
    assertEquals(refused, result.refused().count(), text);
    return result.stored().stream().map(MemoryStore.Stored::body).toList();
  }

  @Test
  void documentsAreTaken() {
    String a = "{" + TIME + ",\"msg\":\"a\"}";
    String b = "{\n  " + TIME + ",\n  \"msg\": \"b\",\n  \"n\": {\n \"m\": [1,\n2]}\n}";
    for (String text :
        List.of(
            "[" + a + "," + b + "]",
            "\n [\n" + a + "\n,\n" + b + "\n]\n",
            b.replace("\"b\"", "\"a\"") + "\n" + b + "\n",
            "{\"Records\":[" + a + "," + b.replace('\n', ' ') + "]}",
            "{\n\"Records\" : [\n" + a + ",\n" + b + "\n]\n}\n",
            "{\"records\":[" + a + "]}\n{\"Records\":[" + b.replace('\n', ' ') + "]}",
            "[{\"Records\":[" + a + "]}," + b + "]",
            b.replace("\"b\"", "\"a\"") + "[" + b + "]",
            a + "\r\n\r\n" + a.replace("\"a\"", "\"b\"") + "\r\n")) {
      assertEquals(List.of("a", "b"), bodies(text, 0), text);
    }
    for (String text : List.of("", "[]", " [ ] ", "{\"Records\":[]}", "[][]")) {
      assertEquals(List.of(), bodies(text, 0), text);
    }
    assertEquals(List.of("a"), bodies(b.replace("\"b\"", "\"a\""), 0));
  }

  @Test
  void aBadObjectCostsItselfOnly() {
    String a = "{\"msg\":\"a\"}";
    String b = "{\"msg\":\"b\"}";
    String no = "{\"_id\":\"soon\",\"x\":[{\"y\":1}]}";
    List<String> both = List.of("a", "b");
    assertEquals(both, bodies("[" + a + "," + no + "," + b + "]", 1));
    assertEquals(both, bodies("[" + a + ",5,\"x\",null,[1],true," + b + "]", 5));
    assertEquals(both, bodies("{\"Records\":[" + no + "," + a + ",7," + b + "]}", 2));
    assertEquals(both, bodies("[\n" + a + ",\n{\"msg\":tru},\n" + b + "\n]", 1));
    assertEquals(both, bodies(a + "\n{\"msg\":\n" + b, 1));
    assertEquals(both, bodies("{\n\"msg\":\"x\"\n\n" + a + "\n" + b, 1));
    assertEquals(both, bodies("[" + a + ",\n" + b, 1)); // it is cut
    assertEquals(List.of("a"), bodies("[" + a + ",\n{\"msg\":\"b", 2));
    assertEquals(both, bodies("[" + a + "," + b + "]]", 1));
    assertEquals(both, bodies("[" + a + "," + b + "]\nnonsense\n", 1));
  }

  @Test
  void anEnvelopeIsAloneInItsObject() {
    Decoding.Result result =
        decode(
            JsonNames.KNOWN,
            false,
            """
            {"Records":[{"msg":"a"}],"n":1}
            {"Records":5}
            {"Records":[{"msg":"b"},{"msg":"c"}]}
            {"Records":[{"msg":"d"}]} x
            {"Records":[{"msg":tru}]}
            [{"msg":"e"}]
            """);
    assertEquals(
        "[{Records=[{\"msg\":\"a\"}], n=1}, {Records=5}, {body=b}, {body=c}]",
        result.stored().stream().map(MemoryStore.Stored::attributes).toList().toString());
    assertEquals(3, result.refused().count());
    assertEquals("a JSON array: send it as application/json", result.refused().lastReason());
  }

  /// Log4j's JsonLayout writes its time as an object.
  @Test
  void anInstantIsATime() {
    String line =
        "{\"instant\":{\"epochSecond\":1493121664,\"nanoOfSecond\":118000000},\"message\":\"a\"}";
    Decoding.Result result = decode(JsonNames.KNOWN, false, line + "\n" + line);
    for (MemoryStore.Stored event : result.stored()) {
      assertEquals(1_493_121_664_118_000_000L, event.timeNanos());
      assertEquals(Map.of("body", "a"), event.attributes());
    }
    String other = "{\"instant\":{\"a\":1},\"message\":\"a\"}";
    assertEquals(
        Map.of("body", "a", "instant.a", 1L),
        decode(JsonNames.KNOWN, false, other).stored().getFirst().attributes());
  }

  @Test
  void aTextThatIsHardlyAnythingButATimeIsKept() {
    String line = "{\"timestamp\":\"2026-11-28 16:00:00 IST\",\"msg\":\"a\"}";
    Decoding.Result result = decode(JsonNames.KNOWN, false, line);
    assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos());
    assertEquals(
        Map.of(
            "body", "a",
            "timestamp", "2026-11-28 16:00:00 IST",
            "sender_time", "2026-11-28 16:00:00 IST"),
        result.stored().getFirst().attributes());
    assertEquals(
        Map.of("body", "a", "time", "12 ms"),
        decode(JsonNames.KNOWN, false, "{\"time\":\"12 ms\",\"msg\":\"a\"}")
            .stored()
            .getFirst()
            .attributes());
  }
}
