package io.widerow.query.logql.line;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: an operator names the labels of streams, and takes names out of the default ones. Method:
/// lists of names.
class LabelMappingTest {
  @Test
  void aNameIsTakenOutOfTheDefaultLabels() {
    List<String> all = new LabelMapping(List.of("default")).labels();
    List<String> fewer =
        new LabelMapping(List.of("!k8s.pod.name", "default", "!own", "own")).labels();
    assertEquals(all.stream().filter(name -> !name.equals("k8s_pod_name")).toList(), fewer);
    assertEquals(List.of("a_b", "service_name"), new LabelMapping(List.of("a.b", "!c")).labels());
  }
}
