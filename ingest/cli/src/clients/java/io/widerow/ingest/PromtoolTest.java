package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: Prometheus takes the shipped alert rules, and each fires on series that show its cause and
/// on no others. Method: Debian's promtool checks the file and runs its tests, one of which names
/// each alert.
@Timeout(300)
@Tag("process")
class PromtoolTest {
  private static final Path RULES = Path.of("../../packaging/rules");
  private static final Pattern ALERT = Pattern.compile("(?m)^ *- alert: (\\w+)$");
  private static final Pattern FIRES = Pattern.compile("alertname=\"(\\w+)\"}', value: 1}");

  private static String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList();
    Process process =
        new ProcessBuilder(command).directory(RULES.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(Await.SECONDS, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    return output;
  }

  private static Set<String> names(Pattern pattern, String file) throws IOException {
    return pattern
        .matcher(Files.readString(RULES.resolve(file)))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void eachAlertFiresForItsCauseOnly() throws IOException, InterruptedException {
    ClientDaemon.requireProgram("promtool", "prometheus");
    Set<String> alerts = names(ALERT, "widerow.yml");
    String checked = run("check", "rules", "widerow.yml");
    assertTrue(checked.contains("SUCCESS: %d rules found".formatted(alerts.size())), checked);
    String tested = run("test", "rules", "widerow_test.yml");
    assertTrue(tested.contains("SUCCESS"), tested);
    assertEquals(alerts, names(FIRES, "widerow_test.yml"));
  }
}
