package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the value of the key `kafka` is read as documented, printed so that it reads the same, and
/// refused with the bad part in the sentence. Method: examples.
class KafkaOptionsTest {
  @Test
  void allPartsAreRead() {
    KafkaOptions read =
        KafkaOptions.parse(
            "kafka",
            "a:1,[::1]:2/logs-*,t.x?format=text&start=latest&partitions=0-2,5&group=g"
                + "&fields=offset,key&zone=Europe%2FBerlin&type=a+b&time=kafka&readers=3"
                + "&refresh=10s&dead-letter=dead&dead-letter-lost=pass");
    assertEquals("kafka", read.source());
    assertEquals("kafka", read.time());
    assertEquals(3, read.readers());
    assertEquals(Duration.ofSeconds(10), read.refresh());
    assertEquals("dead", read.deadLetter());
    assertEquals(KafkaOptions.Lost.PASS, read.letters());
    assertEquals(List.of("a:1", "[::1]:2"), read.brokers());
    assertEquals(List.of("logs-*", "t.x"), read.topics());
    assertEquals("text", read.format());
    assertEquals("latest", read.start());
    assertEquals(Set.of(0, 1, 2, 5), read.partitions());
    assertEquals("g", read.group());
    assertEquals(Set.of("offset", "key"), read.fields());
    assertEquals(Map.of("zone", "Europe/Berlin", "type", "a b"), read.parameters());
    assertEquals(read, KafkaOptions.parse("kafka", read.print()));
  }

  @Test
  void aStartMayBeATime() {
    KafkaOptions read =
        KafkaOptions.parse("kafka.web", "a:1/t?start=2026-01-01T01:00:00.5%2B01:00&format=syslog");
    assertEquals("web", read.source());
    assertEquals(1_767_225_600_500L, read.startMillis());
    assertEquals(read, KafkaOptions.parse("kafka.web", read.print()));
  }

  @Test
  void eachSourceHasAName() {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("kafka.web", "localhost:1/a", "kafka", "localhost:1/b", "kafka.x", ""));
    assertEquals(
        List.of("kafka", "web"), config.kafka().stream().map(KafkaOptions::source).toList());
    for (String name : List.of("kafka.kafka", "kafka.Web", "kafka.a.b")) {
      assertThrows(
          IllegalArgumentException.class, () -> DaemonConfig.of(Map.of(name, "localhost:1/t")));
    }
  }

  @Test
  void defaultsAreThoseOfTheDocument() {
    KafkaOptions read = KafkaOptions.parse("kafka", "localhost:9092/logs");
    assertEquals("json", read.format());
    assertEquals("earliest", read.start());
    assertNull(read.startMillis());
    assertEquals("event", read.time());
    assertEquals(1, read.readers());
    assertEquals(Duration.ofSeconds(30), read.refresh());
    assertEquals("", read.deadLetter());
    assertEquals(KafkaOptions.Lost.WAIT, read.letters());
    assertEquals(Set.of(), read.partitions());
    assertEquals(KafkaOptions.FIELDS.size(), read.fields().size());
    assertTrue(read.isLocal());
    assertEquals(read, KafkaOptions.parse("kafka", read.print()));
  }

  @ParameterizedTest
  @CsvSource({
    "logs, got logs",
    "localhost/logs, got 'localhost'",
    "user:password@a:1/logs, a password belongs into a file",
    "a:1/, a topic expected",
    "a:1/lo gs, got 'lo gs'",
    "a:1/t?format=avro, got avro",
    "a:1/t?start=yesterday, got yesterday",
    "a:1/t?partitions=3-1, got 3-1",
    "a:1/t?fields=body, got body",
    "a:1/t?type=a&type=b, type is there twice",
    "a:1/t?type, got 'type'",
    "a:1/t?time=now, got now",
    "a:1/t?readers=0, got 0",
    "a:1/t?refresh=1w, got 1w",
    "a:1/t?refresh=forever, refresh must not be forever",
    "a:1/t?format=syslog&zone=Moon, got Moon",
    "a:1/t?format=syslog&type=a, type: no such parameter of syslog",
    "a:1/t?dead-letter-lost=pass, needs dead-letter",
    "a:1/t?dead-letter=a/b, got 'a/b'",
    "'a:1/x,t-*?dead-letter=t-dead', 'got t-dead, which is one of t-*'",
    "a:1/t?format=line&type=a, type: no such parameter of line",
    "a:1/t?format=otlp&signal=log, got log",
    "a:1/t?format=otlp&strat=latest, strat: no such parameter of otlp",
    "a:1/t?format=loki&strat=latest, strat: no such parameter of loki",
    "a:1/t?format=gelf&signal=logs, signal: no such parameter of gelf",
    "a:1/t?format=splunk&strat=latest, strat: no such parameter of splunk"
  })
  void badPartsAreNamed(String value, String part) {
    String why =
        assertThrows(IllegalArgumentException.class, () -> KafkaOptions.parse("kafka", value))
            .getMessage();
    assertTrue(why != null && why.contains(part) && why.startsWith("kafka"), why);
  }

  @Test
  void aBrokerOfAnotherMachineNeedsInsecure() {
    Map<String, String> keys = Map.of("kafka", "far.example:9092/logs");
    String why =
        assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(keys)).getMessage();
    assertTrue(why != null && why.contains("far.example:9092 is not on this machine"), why);
    DaemonConfig _ = DaemonConfig.of(Map.of("kafka", "far.example:9092/logs", "insecure", "true"));
    String cluster =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    DaemonConfig.of(
                        Map.of(
                            "kafka",
                            "localhost:1/t?partitions=0-3",
                            "store",
                            "cassandra://h/k?dc=d")))
            .getMessage();
    assertTrue(cluster != null && cluster.contains("divide the partitions among them"), cluster);
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:1/out, localhost:1/out, true",
    "'127.0.0.1:1,localhost:1/logs,o*', localhost:1/out, true",
    "localhost:2/out, localhost:1/out, false",
    "localhost:1/in, localhost:1/out, false",
  })
  void whatIsReadIsNotForwarded(String source, String target, boolean isRefused) {
    Map<String, String> keys = Map.of("kafka.more", source, "forward", "kafka:" + target);
    if (!isRefused) {
      DaemonConfig _ = DaemonConfig.of(keys);
      return;
    }
    String why =
        assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(keys)).getMessage();
    assertTrue(why != null && why.contains("forward: kafka.more reads the topic out"), why);
  }
}
