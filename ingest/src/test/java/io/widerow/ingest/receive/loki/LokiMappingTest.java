package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static io.widerow.ingest.receive.loki.LokiMessages.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: entries that are pushed become events by the documented mapping. Method: the decoders, on
/// messages from a writer of Loki's messages and on JSON text.
class LokiMappingTest {
  private static final long NANOS = 1_700_000_000_123_456_789L;
  private static final List<String> SERVICES =
      List.of(
          "service_name",
          "service",
          "app",
          "application",
          "app_name",
          "name",
          "app_kubernetes_io_name",
          "container",
          "container_name",
          "k8s_container_name",
          "component",
          "workload",
          "job",
          "k8s_job_name");

  private static List<MemoryStore.Stored> protobuf(byte[]... streams) {
    Decoding.Result result = Decoding.of(join(streams), LokiFuzz::protobuf);
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    return withoutNames(result.stored());
  }

  private static List<MemoryStore.Stored> json(String request) {
    Decoding.Result result = Decoding.of(request, LokiFuzz::json);
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    return withoutNames(result.stored());
  }

  /// The events without the names of their labels and their level, which each must have.
  private static List<MemoryStore.Stored> withoutNames(List<MemoryStore.Stored> events) {
    List<MemoryStore.Stored> without = new ArrayList<>();
    for (MemoryStore.Stored event : events) {
      Map<String, Object> attributes = new TreeMap<>(event.attributes());
      assertInstanceOf(String.class, attributes.remove("widerow.labels"));
      assertInstanceOf(String.class, attributes.remove("detected_level"));
      without.add(
          new MemoryStore.Stored(event.type(), event.timeNanos(), event.ownId(), attributes));
    }
    return without;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | ''",
        "{app=\"x\"} | app",
        "{env=\"e\",app=\"x\"} | env,app",
        "{env=\"\",app=\"x\"} | app",
        "{id=\"1\",type=\"2\",ts=\"3\",body=\"4\"} | id,type,ts,body",
      })
  void eachEventHasTheNamesOfItsLabels(String labels, String names) {
    byte[] entries = stream(labels, entry(NANOS, "x"), entry(NANOS, "y", "app", "m", "k", "v"));
    Decoding.Result result = Decoding.of(entries, LokiFuzz::protobuf);
    for (MemoryStore.Stored event : result.stored()) {
      assertEquals(names, event.attributes().get("widerow.labels"));
    }
    assertEquals(2, result.stored().size());
  }

  private static String jsonOf(String labels, String values) {
    return "{\"streams\":[{\"stream\":%s,\"values\":[%s]}]}".formatted(labels, values);
  }

  @Test
  void anEntryBecomesAnEvent() {
    String labels = "{level=\"a\\n\\u00fc\\x41\", job = \"j\", app=\"shop\",type=\"t\"}";
    MemoryStore.Stored event =
        protobuf(stream(labels, entry(NANOS, "a line\n", "trace", "4f", "app", "m", "id", "7")))
            .getFirst();
    assertEquals("shop", event.type());
    assertEquals(NANOS, event.timeNanos());
    assertEquals(
        "{app=shop, body=a line\n, job=j, label.type=t, level=a\nüA, metadata.app=m,"
            + " metadata.id=7, trace=4f}",
        event.attributes().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"streams\":[{\"stream\":{\"app\":\"x\"},\"values\":[[\"1700000000123456789\",\"l\","
            + "{\"m\":\"1\"}]]}]}",
        "{\"streams\":[{\"values\":[[1700000000123456789,\"l\",{\"m\":\"1\"}]],"
            + "\"hash\":[{}],\"stream\":{\"app\":\"x\"}}], \"x\":1}",
        "{\"streams\":[{\"str\\u0065am\":{\"\\u0061pp\":\"\\u0078\"},\"values\":[[\"1700000000"
            + "123456789\",\"\\u006c\",{\"\\u006d\":\"\\u0031\"}]]}]}",
        "{\"streams\":[{\"labels\":\"{app=\\\"x\\\"}\",\"entries\":"
            + "[{\"ts\":\"2023-11-14T22:13:20.123456789Z\",\"line\":\"l\","
            + "\"structuredMetadata\":{\"m\":\"1\"}}]}]}",
        "{\"streams\":[{\"entries\":[{\"line\":\"l\",\"timestamp\":\"1700000000123456789\",\"y\":0,"
            + "\"structuredMetadata\":{\"m\":\"1\"}}],\"labels\":\"{app='x'}\"}]}"
      })
  void jsonBecomesTheSame(String json) {
    MemoryStore.Stored event = json(json).getFirst();
    assertEquals("x", event.type());
    assertEquals(NANOS, event.timeNanos());
    assertEquals(Map.of("app", "x", "body", "l", "m", "1"), event.attributes());
  }

  @Test
  void theTypeIsTheFirstOfLokisLabels() {
    for (int i = 0; i < SERVICES.size(); i++) {
      List<String> have = new ArrayList<>(SERVICES.subList(i, SERVICES.size()));
      Collections.reverse(have);
      StringBuilder text = new StringBuilder("{other=\"o\"");
      StringBuilder object = new StringBuilder("{\"other\":\"o\"");
      for (String name : have) {
        text.append(',').append(name).append("=\"t-").append(name).append('"');
        object.append(",\"").append(name).append("\":\"t-").append(name).append('"');
      }
      String expected = "t-" + SERVICES.get(i);
      List<MemoryStore.Stored> both =
          List.of(
              protobuf(stream(text.append('}').toString(), entry(NANOS, "x"))).getFirst(),
              json(jsonOf(object.append('}').toString(), "[\"1\",\"x\"]")).getFirst());
      for (MemoryStore.Stored event : both) {
        assertEquals(expected, event.type());
        assertEquals(have.size() + 2, event.attributes().size(), "each label is an attribute");
      }
    }
    for (String none : List.of("{}", "{other=\"o\"}", "{service=\"\"}")) {
      assertEquals("unknown_service", protobuf(stream(none, entry(1, "x"))).getFirst().type());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a=\"b\"} | {a=b, body=x}",
        "{a=\"b\",c=\"d\",} | {a=b, body=x, c=d}",
        " { a = \"b\" , \t c=`d\\` } | {a=b, body=x, c=d\\}",
        "{\"a b\"=\"c\", 'd'='e\"f'} | {a b=c, body=x, d=e\"f}",
        "{`a`=\"\\\"\\\\\\'\"} | {a=\"\\', body=x}",
        "{a=\"\\x41\\101\\u00fc\\U0001f600\"} | {a=AAü😀, body=x}",
        "{a=\"ü{},=\"} | {a=ü{},=, body=x}",
        "{a.b=\"1\",a:b=\"2\",a_b=\"\"} | {a.b=1, a:b=2, body=x}",
        "{a=\"1\",a=\"2\"} | {a=1, body=x, label.a=2}",
        "{body=\"1\",ts=\"2\"} | {body=x, label.body=1, label.ts=2}",
        "{level=\"error\",app=\"winston\",part=\"p0\"} "
            + "| {app=winston, body=x, level=error, part=p0}"
      })
  void labelsAreReadAsGoQuotesThem(String labels, String attributes) {
    MemoryStore.Stored event = protobuf(stream(labels, entry(NANOS, "x"))).getFirst();
    assertEquals(attributes, event.attributes().toString());
    String quoted = labels.replace("\\", "\\\\").replace("\"", "\\\"").replace("\t", "\\t");
    String json =
        "{\"streams\":[{\"labels\":\"%s\",\"entries\":[{\"ts\":\"1\",\"line\":\"x\"}]}]}"
            .formatted(quoted);
    assertEquals(attributes, json(json).getFirst().attributes().toString());
  }

  @Test
  void labelsMayFollowTheEntriesAndAllAreRead() {
    byte[] late =
        message(1, join(entry(1, "a"), message(1, utf8("{service=\"s\"}")), entry(2, "b")));
    String json =
        "{\"streams\":[{\"values\":[[\"1\",\"a\"]],\"stream\":{\"service\":\"s\"},"
            + "\"values\":[[\"2\",\"b\"]]}]}";
    for (List<MemoryStore.Stored> events : List.of(protobuf(late), json(json))) {
      assertEquals(
          List.of("s 1 a", "s 2 b"),
          events.stream().map(e -> e.type() + " " + e.timeNanos() + " " + e.body()).toList());
    }
  }

  @Test
  void timesAreInAnyOrderAndExact() {
    long[] times = {NANOS, 1, NANOS + 1, NANOS - 1_000_000_000L, 999_999_999, NANOS};
    byte[][] entries =
        IntStream.range(0, times.length)
            .mapToObj(i -> entry(times[i], "l" + i))
            .toArray(byte[][]::new);
    List<MemoryStore.Stored> events = protobuf(stream("{}", entries), stream("{}", entries));
    for (int i = 0; i < events.size(); i++) {
      assertEquals(times[i % times.length], events.get(i).timeNanos());
      assertEquals("l" + i % times.length, events.get(i).body());
    }
    assertEquals(2 * times.length, events.size());
  }

  @Test
  void aTimeOfZeroOrNoneIsThatOfArrival() {
    byte[] none = message(2, message(2, utf8("x")));
    for (byte[] one : List.of(entry(0, "x"), none)) {
      Decoding.Result result = Decoding.of(stream("{}", one), LokiFuzz::protobuf);
      assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos());
      assertFalse(result.ownTimes());
    }
    for (String one : List.of("[\"0\",\"x\"]", "[0,\"x\"]")) {
      Decoding.Result result = Decoding.of(jsonOf("{}", one), LokiFuzz::json);
      assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos());
      assertFalse(result.ownTimes());
    }
  }

  @Test
  void aLineIsKeptByteForByte() {
    byte[] every = new byte[0x80];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    byte[] line = join(every, utf8("ü😀\r\n"), every);
    MemoryStore.Stored event = protobuf(stream("{}", entry(1, line))).getFirst();
    assertEquals(new String(line, StandardCharsets.UTF_8), event.body());
    assertEquals("", protobuf(stream("{}", entry(1, ""))).getFirst().body());
    assertEquals("", protobuf(stream("{}", message(2, number(9, 1)))).getFirst().body());
  }

  @Test
  void whatIsNotUtf8IsKeptAsTextAndCounted() {
    byte[] line = {'a', (byte) 0xe9, 'b', (byte) 0xff};
    byte[] name = message(1, new byte[] {'n', (byte) 0xfc});
    byte[] metadata = message(3, join(name, message(2, new byte[] {(byte) 0x80})));
    byte[] time = message(1, number(1, 1));
    byte[] labels = {'{', 'a', 'p', 'p', '=', '"', (byte) 0xe4, '"', '}'};
    byte[] bad = message(2, join(time, message(2, line), metadata));
    List<MemoryStore.Stored> events =
        protobuf(stream(labels, bad, entry(1, "good"), bad), stream("{}", bad));
    String shown = "{app=\\xE4, body=a\\xE9b\\xFF, n\\xFC=\\x80, widerow.escaped=5}";
    assertEquals("\\xE4", events.getFirst().type());
    assertEquals(shown, events.getFirst().attributes().toString());
    assertEquals(
        "{app=\\xE4, body=good, widerow.escaped=1}", events.get(1).attributes().toString());
    assertEquals(shown, events.get(2).attributes().toString());
    assertEquals(
        "{body=a\\xE9b\\xFF, n\\xFC=\\x80, widerow.escaped=4}",
        events.get(3).attributes().toString());
    String json = jsonOf("{\"app\":\"\u00e4\"}", "[1,\"a\u00e9\",{\"\u00fc\":\"\u0080\"}]");
    Decoding.Result raw = Decoding.of(json.getBytes(StandardCharsets.ISO_8859_1), LokiFuzz::json);
    assertEquals(
        "{\\xFC=\\x80, app=\\xE4, body=a\\xE9, detected_level=unknown, widerow.escaped=4,"
            + " widerow.labels=app}",
        raw.stored().getFirst().attributes().toString());
    assertEquals(
        "{a=\\ud800, body=\\udc00x, widerow.escaped=2}",
        json(jsonOf("{\"a\":\"\\ud800\"}", "[1,\"\\udc00x\"]")).getFirst().attributes().toString());
  }

  @Test
  void metadataKeepsItsKinds() {
    String metadata = "{\"s\":\"t\",\"n\":5,\"d\":2.5,\"b\":true,\"z\":null,\"o\":{\"a\":[1]}}";
    assertEquals(
        "{b=true, body=x, d=2.5, n=5, o.a=[1], s=t}",
        json(jsonOf("{}", "[1,\"x\"," + metadata + "]")).getFirst().attributes().toString());
    assertEquals(
        "{body=x, n=7}",
        json(jsonOf("{\"n\":7,\"z\":null}", "[1,\"x\",null]")).getFirst().attributes().toString());
  }

  @Test
  void eachEntryHasTheLabelsAndItsOwnMetadataOnly() {
    int entries = 200;
    byte[][] all =
        IntStream.range(0, entries)
            .mapToObj(i ->
                i % 3 == 0
                    ? entry(1 + i, "l" + i)
                    : i % 3 == 1
                        ? entry(1 + i, "l" + i, "m", "v" + i)
                        : entry(1 + i, "l" + i, "m", "v" + i, "a", "taken"))
            .toArray(byte[][]::new);
    List<MemoryStore.Stored> events = protobuf(stream("{a=\"1\",z=\"2\"}", all));
    for (int i = 0; i < entries; i++) {
      Map<String, Object> expected = new TreeMap<>(Map.of("a", "1", "z", "2"));
      expected.put("body", "l" + i);
      if (i % 3 > 0) {
        expected.put("m", "v" + i);
      }
      if (i % 3 == 2) {
        expected.put("metadata.a", "taken");
      }
      assertEquals(expected, events.get(i).attributes());
    }
  }

  @Test
  void theTypeCanBeAsked() throws IOException, InterruptedException {
    MemoryStore store = new MemoryStore(1);
    DaemonConfig config = DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String json = jsonOf("{\"app\":\"x\"}", "[\"1700000000123456789\",\"l\"]");
      byte[] block = LokiMessages.snappy(stream("{app=\"x\"}", entry(NANOS, "l")));
      String path = "/loki/api/v1/push";
      http.post(path + "?type=mine", "application/json", json);
      http.post(path, "application/json", json, "widerow-type", "header");
      http.post("/api/prom/push?type=other", "application/x-protobuf", block);
      assertEquals(
          List.of("mine", "header", "other"),
          store.committed.stream().map(MemoryStore.Stored::type).toList());
      assertTrue(store.committed.stream().allMatch(e -> "x".equals(e.attributes().get("app"))));
      var answer = http.post(path + "?type=" + "t".repeat(129), "application/json", json);
      assertEquals(204, answer.statusCode(), answer.body());
      assertEquals("t".repeat(129), store.committed.getLast().attributes().get("widerow.type"));
    }
  }
}
