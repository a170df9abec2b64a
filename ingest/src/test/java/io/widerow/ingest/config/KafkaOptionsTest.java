package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
                + "&fields=offset,key&zone=Europe%2FBerlin&type=a+b");
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
  void defaultsAreThoseOfTheDocument() {
    KafkaOptions read = KafkaOptions.parse("kafka", "localhost:9092/logs");
    assertEquals("json", read.format());
    assertEquals("earliest", read.start());
    assertEquals(Set.of(), read.partitions());
    assertEquals(KafkaOptions.FIELDS.size(), read.fields().size());
    assertTrue(read.isLocal());
    assertEquals(read, KafkaOptions.parse("kafka", read.print()));
  }

  @ParameterizedTest
  @CsvSource({
    "logs, got logs",
    "localhost/logs, got 'localhost'",
    "user:password@a:1/logs, got 'user:password@a:1'",
    "a:1/, a topic expected",
    "a:1/lo gs, got 'lo gs'",
    "a:1/t?format=avro, got avro",
    "a:1/t?start=yesterday, got yesterday",
    "a:1/t?partitions=3-1, got 3-1",
    "a:1/t?fields=body, got body",
    "a:1/t?type=a&type=b, type is there twice",
    "a:1/t?type, got 'type'",
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
                        Map.of("kafka", "localhost:1/t", "store", "cassandra://h/k?dc=d")))
            .getMessage();
    assertTrue(cluster != null && cluster.contains("needs a store on this machine"), cluster);
  }
}
