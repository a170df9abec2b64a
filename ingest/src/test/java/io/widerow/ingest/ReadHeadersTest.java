package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: no protocol reads a header that decides what its events become and is missing in the keys
/// of repeats: the same body with another one would be answered as stored, and lost. Method: every
/// read of a header in the compiled protocols is in a table with the reason why it is safe. A new
/// one fails the test until somebody has thought about it.
class ReadHeadersTest {
  private static final JavaClasses PROTOCOLS =
      new ClassFileImporter().importPath(Path.of("target/classes/io/widerow/ingest/receive"));

  /// Types by which protocols read requests.
  private static final Set<String> REQUESTS =
      Set.of("HttpRequest", "RequestHeaders", "ServiceRequestContext");

  /// What reads no header: the path and the parameters are in every key.
  private static final Set<String> NO_HEADERS =
      Set.of(
          "blockingTaskExecutor",
          "headers",
          "method",
          "path",
          "pathParam",
          "queryParam",
          "queryParams",
          "request");

  /// It decides: the protocol has it in `decidingHeaders`.
  private static final String DECIDES = "decides";

  private static final String CODING = "it is taken off the body before that is known";

  private static final String ANSWER = "it decides about the answer only";

  private static final String DISJOINT =
      "a body with events in one form is no request in the other: see DecidingHeadersTest";

  private static final Map<String, String> READS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("datadog.DatadogProtocol: 1 get", DECIDES),
              Map.entry("elastic.ElasticResponses: 1 get", ANSWER),
              Map.entry("elastic.ElasticProbes: 1 contains", ANSWER),
              Map.entry("elastic.ElasticProbes: 2 get", ANSWER),
              Map.entry("json.EventsProtocol: 1 contentType", DECIDES),
              Map.entry("loki.LokiProtocol: 1 contentType", DISJOINT),
              Map.entry("loki.LokiProtocol: 1 get", CODING),
              Map.entry("otlp.OtlpProtocol: 2 contentType", DISJOINT),
              Map.entry("otlp.OtlpProtocol: 2 get", CODING), // the other is for a refusal
              Map.entry("prometheus.MessageVersion: 1 contentType", DECIDES),
              Map.entry("prometheus.MessageVersion: 1 get", DECIDES),
              Map.entry("prometheus.PrometheusProtocol: 1 get", CODING),
              Map.entry("splunk.HecProtocol: 1 contains", ANSWER),
              Map.entry("splunk.HecProtocol: 1 get", ANSWER)));

  /// The class as the table names it.
  private static String name(JavaClass each) {
    String packageName = each.getPackageName();
    return packageName.substring(packageName.lastIndexOf('.') + 1) + "." + each.getSimpleName();
  }

  @Test
  void everyReadOfAHeaderIsInTheTable() {
    Map<String, Integer> counts = new TreeMap<>();
    for (JavaClass each : PROTOCOLS) {
      for (JavaMethodCall call : each.getMethodCallsFromSelf()) {
        String owner = call.getTargetOwner().getSimpleName();
        if (REQUESTS.contains(owner) && !NO_HEADERS.contains(call.getName())) {
          counts.merge(name(each) + ": %d " + call.getName(), 1, Integer::sum);
        }
      }
    }
    Map<String, String> found = new TreeMap<>();
    counts.forEach((read, count) -> {
      String counted = read.formatted(count);
      found.put(counted, READS.getOrDefault(counted, "nobody has said why it is safe"));
    });
    assertEquals(READS, found);
  }

  @Test
  void aProtocolWithADecidingHeaderNamesIt() {
    READS.forEach((read, why) -> {
      if (why.equals(DECIDES)) {
        String protocol = read.substring(0, read.indexOf('.'));
        assertTrue(
            PROTOCOLS.stream()
                .filter(each -> name(each).startsWith(protocol + "."))
                .anyMatch(each -> each.tryGetMethod("decidingHeaders").isPresent()),
            read);
      }
    });
  }
}
