package io.widerow.ingest;

import io.widerow.ingest.alert.AlertEngine;
import io.widerow.ingest.doctor.Finding;
import java.util.ArrayList;
import java.util.List;

/// The findings about rule files and alerts.
final class AlertFindings {
  private AlertFindings() {}

  static List<Finding> of(AlertEngine alerts) {
    List<Finding> findings = new ArrayList<>();
    for (String problem : alerts.problems()) {
      findings.add(
          new Finding(
              "rules-file",
              Finding.Severity.WARN,
              "rules",
              null,
              null,
              "a rule file is not in force as it is: " + problem,
              "correct the file; its former version stays in force until then"));
    }
    List<String> undelivered = alerts.undelivered();
    if (!undelivered.isEmpty()) {
      findings.add(
          new Finding(
              "alert-undelivered",
              Finding.Severity.BAD,
              "alerts",
              (double) undelivered.size(),
              0.0,
              "alerts fired and ended while no Alertmanager answered: "
                  + String.join(", ", undelivered),
              "look at `widerow alerts history`, and at the Alertmanagers"));
    }
    return findings;
  }
}
