package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.Variables;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a variable that is misspelt stops a program, and one that is not ours to judge does not.
class VariablesTest {
  @Test
  void everyKeyHasAVariableAndThereAreNoOthersButThoseOfTheCommands() {
    TreeSet<String> names =
        new TreeSet<>(
            List.of("WIDEROW_CACERT", "WIDEROW_JAVA_OPTS", "WIDEROW_TOKEN", "WIDEROW_URL"));
    ConfigKeys.names().forEach(key -> names.add(Variables.of(key)));
    assertEquals(List.copyOf(names), Variables.names());
  }

  @ParameterizedTest
  @CsvSource({
    "WIDEROW_RETENTON, 2d, ; did you mean WIDEROW_RETENTION? Those there are:",
    "WIDEROW_OPENAGE, 8m, ; did you mean WIDEROW_OPEN_AGE? Those there are:",
    "WIDEROW_RETENTION_APP, 2d, ; did you mean WIDEROW_RETENTION? Those there are:",
    "WIDEROW_PORT, 7380, . Those there are:",
    "WIDEROW_, x, . Those there are: "
  })
  void aMisspeltOneIsNamedWithTheNearest(String name, String value, String then) {
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Variables.check(Map.of(name, value, "WIDEROW_LANES", "1", "WIDEROWX", "")));
    String message = String.valueOf(refused.getMessage());
    assertTrue(
        message.startsWith("there is no environment variable " + name + then + " WIDEROW_"),
        message);
  }

  @ParameterizedTest
  @CsvSource({
    "WIDEROW_SERVICE_HOST, 10.0.0.1",
    "WIDEROW_SERVICE_PORT, 7380",
    "WIDEROW_SERVICE_PORT_HTTP, 7380",
    "WIDEROW_PORT, tcp://10.0.0.1:7380",
    "WIDEROW_PORT_7380_TCP, tcp://10.0.0.1:7380",
    "WIDEROW_PORT_7380_TCP_PROTO, tcp",
    "WIDEROW_PORT_7380_TCP_PORT, 7380",
    "WIDEROW_PORT_5514_UDP_ADDR, 10.0.0.1",
    "WIDEROW_SYSLOG_SERVICE_HOST, 10.0.0.2",
    "WIDEROW_SYSLOG_PORT, udp://10.0.0.2:5514",
    "WIDEROW_SYSLOG_PORT_5514_UDP, udp://10.0.0.2:5514"
  })
  void thoseThatKubernetesSetsForAServiceAreIgnored(String name, String value) {
    assertDoesNotThrow(() -> Variables.check(Map.of(name, value)));
  }
}
