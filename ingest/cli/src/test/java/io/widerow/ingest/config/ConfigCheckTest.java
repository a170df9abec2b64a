package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.serve.ServeCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/// Goal: a start, and its check, report every mistake of a configuration at once and with exit code
/// 64, so that no supervisor repeats a start that cannot succeed. Method: a bad value for each key
/// that can have one, alone and all together; and directories and addresses that cannot be used.
class ConfigCheckTest {
  @TempDir private Path directory = Path.of(".");

  private static List<String> mistakes(Map<String, String> values) {
    return ConfigCheck.of(values, Map.of(), null, ConfigCheck.ofMachine()).mistakes();
  }

  /// A value that no key of numbers, words, addresses, ages or files can have.
  private static Map<String, String> bad() {
    Map<String, String> bad = new TreeMap<>();
    for (String key : ConfigKeys.names().toList()) {
      for (String value : List.of("\u0000 bad", "-7 of \u0000", "*")) {
        if (!mistakes(Map.of(key, value)).isEmpty()) {
          bad.put(key, value);
          break;
        }
      }
    }
    return bad;
  }

  @Test
  void everyMistakeIsReported() {
    Map<String, String> bad = bad();
    assertTrue(bad.size() > ConfigKeys.ALL.size() * 3 / 4, bad.keySet().toString());
    bad.forEach((key, value) -> {
      List<String> alone = mistakes(Map.of(key, value));
      assertEquals(1, alone.size(), alone.toString());
      assertTrue(alone.getFirst().contains(key), alone.toString());
    });
    List<String> all = mistakes(bad);
    for (Map.Entry<String, String> each : bad.entrySet()) {
      String alone = mistakes(Map.of(each.getKey(), each.getValue())).getFirst();
      boolean follows = // from another mistake
          bad.keySet().stream()
              .anyMatch(
                  key -> !key.equals(each.getKey()) && alone.matches(".*\\b" + key + "\\b.*"));
      assertTrue(
          follows || all.stream().anyMatch(found -> found.contains(each.getKey())),
          each + " of " + all);
    }
    bad.put("no-such-key", "1");
    bad.put("nor-this", "1");
    assertEquals(all.size() + 2, mistakes(bad).size());
  }

  @Test
  void everySourceReportsItsMistakes() throws IOException {
    Path file = Files.writeString(directory.resolve("c"), "lames=2\nlanes=none\nopen-age=never\n");
    Map<String, String> environment =
        Map.of("WIDEROW_RETENTON", "2d", "WIDEROW_LOKI_LABLES", "a", "WIDEROW_TYPES_MAX", "0");
    List<String> found =
        ConfigCheck.of(Map.of("retention.a*", "1d", "final", "x"), environment, file, List.of())
            .mistakes();
    String all = String.join("\n", found);
    for (String part :
        List.of(
            "WIDEROW_LOKI_LABLES; did you mean WIDEROW_LOKI_LABELS?",
            "WIDEROW_RETENTON; did you mean WIDEROW_RETENTION?",
            file + ": unknown key lames; did you mean lanes?",
            "lanes must be a number, got none",
            "open-age must be like 30d, 12h, 10m, 5s or forever, got never",
            "types-max must be 1 to 10000000, got 0",
            "final must be fit or keep, got x")) {
      assertTrue(all.contains(part), part + "\n" + all);
    }
    assertEquals(7, found.size(), all);
    Path malformed = Files.writeString(directory.resolve("m"), "data=\\u00zz\n");
    assertTrue(
        ConfigCheck.of(Map.of(), Map.of(), malformed, List.of())
            .mistakes()
            .getFirst()
            .startsWith("config: " + malformed));
  }

  @Test
  void whatFollowsFromAMistakeIsNotReported() {
    List<String> found =
        mistakes(
            Map.of(
                "tls-certificate",
                "none.pem",
                "tls-key",
                "none.pem",
                "syslog-tls",
                "127.0.0.1:0",
                "lanes",
                "0"));
    assertEquals(3, found.size(), found.toString());
    assertTrue(found.toString().contains("none.pem: no such file or directory"), found.toString());
  }

  @Test
  void aPlaceThatCannotBeUsedIsAMistake() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    Map<String, String> places =
        Map.of(
            "data=" + directory.resolve("no/parent"),
            "is not a directory; create it first",
            "data=" + file,
            "it is not a directory",
            "data=" + file.resolve("x"),
            "is not a directory",
            "snapshot-dir=" + file,
            "it is not a directory",
            "http=192.0.2.1:7380",
            "192.0.2.1 is not an address of this machine",
            "tokens=" + directory,
            "it is a directory",
            "transforms=" + directory.resolve("none"),
            "no such file or directory");
    for (Map.Entry<String, String> place : places.entrySet()) {
      List<String> arguments =
          new ArrayList<>(List.of("--set", place.getKey(), "--set", "insecure=true"));
      if (!place.getKey().startsWith("data")) {
        arguments.addAll(List.of("--data", directory.resolve("store").toString()));
      }
      for (List<String> mode : List.of(List.<String>of(), List.of("--check-config"))) {
        arguments.addAll(mode);
        StringWriter out = new StringWriter();
        CommandLine line =
            ServeCommand.commandLine(
                config -> {
                  throw new AssertionError("nothing is opened here");
                },
                Map.of());
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertEquals(64, line.execute(arguments.toArray(String[]::new)), place + " " + out);
        assertTrue(out.toString().contains(place.getValue()), place + " " + out);
      }
    }
    assertFalse(Files.exists(directory.resolve("store")), "nothing was created");
  }

  /// As a start finds them: the endpoints check the parameters of some formats.
  @ParameterizedTest
  @CsvSource({
    "kafka=127.0.0.1:1/t?nonsense=1, kafka: nonsense: no such parameter",
    "kafka.web=127.0.0.1:1/t?format=text&zone=Moon, kafka.web: Unknown time-zone ID: Moon",
    "kafka.web=127.0.0.1:1/t?values=all, 'kafka.web: values: must be exact, got all'",
    "kafka.web=127.0.0.1:1/t?format=line&precision=week, kafka.web: precision"
  })
  void parametersOfSourcesAreChecked(String set, String part) {
    StringWriter out = new StringWriter();
    CommandLine line =
        ServeCommand.commandLine(
            config -> {
              throw new AssertionError("nothing is opened here");
            },
            Map.of());
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    String data = directory.resolve("store").toString();
    assertEquals(64, line.execute("--check-config", "--data", data, "--set", set), out.toString());
    assertTrue(out.toString().contains(part), out.toString());
  }
}
