package io.widerow.ingest.config;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How alert and recording rules are evaluated, and who gets the alerts.
public final class AlertOptions {
  private final ConfigValues values;

  AlertOptions(ConfigValues values) {
    this.values = values;
  }

  /// Directory of rule files; null for none.
  public @Nullable Path directory() {
    return values.get(ConfigKeys.RULES_DIR).orElse(null);
  }

  /// The Alertmanagers that get alerts.
  public List<AlertmanagerAddress> alertmanagers() {
    return values.get(ConfigKeys.ALERTMANAGERS).stream().map(AlertmanagerAddress::parse).toList();
  }

  /// Interval of groups that have none.
  public long intervalMillis() {
    return values.get(ConfigKeys.RULES_INTERVAL).toMillis();
  }

  /// After this time a firing alert is sent again.
  public long resendMillis() {
    return values.get(ConfigKeys.RULES_RESEND).toMillis();
  }

  /// Time after a start without evaluations.
  public long settleMillis() {
    return values.get(ConfigKeys.RULES_SETTLE).toMillis();
  }

  /// How far back rules are evaluated again for late events; 0 for not.
  public long lateMillis() {
    return values.get(ConfigKeys.RULES_LATE).toMillis();
  }

  /// URL of this daemon for people, without a slash at its end; empty for none.
  public String externalUrl() {
    return values.get(ConfigKeys.EXTERNAL_URL).orElse("").replaceFirst("/+$", "");
  }

  /// Labels of each alert that is sent.
  public SortedMap<String, String> externalLabels() {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String each : values.get(ConfigKeys.EXTERNAL_LABELS)) {
      int equals = each.indexOf('=');
      labels.put(each.substring(0, equals), each.substring(equals + 1));
    }
    return labels;
  }

  /// Reads the files that the addresses name.
  ///
  /// @throws IllegalArgumentException when one cannot be used
  void check() {
    alertmanagers().forEach(AlertmanagerAddress::check);
  }
}
