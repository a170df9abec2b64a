package io.widerow.ingest.alert;

import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.series.Labels;
import java.util.Map;
import java.util.SortedMap;

/// The state of an alert as an Alertmanager gets it. Times are in milliseconds since the Unix
/// epoch.
///
/// @param labels identify the alert
/// @param startsAt when it began to fire
/// @param endsAt when it was resolved, or until when it fires unless something else is heard
/// @param source where people see the expression; empty for nowhere
record Notice(
    Labels labels,
    SortedMap<String, String> annotations,
    long startsAt,
    long endsAt,
    boolean isResolved,
    String source) {
  /// As an element of `POST /api/v2/alerts`.
  StringBuilder append(StringBuilder json, Map<String, String> externalLabels) {
    SortedMap<String, String> all = labels.map();
    externalLabels.forEach((name, value) -> {
      if (!all.containsKey(name)) {
        all.put(name, value);
      }
    });
    AlertJson.appendMap(json.append("{\"labels\":"), all);
    AlertJson.appendMap(json.append(",\"annotations\":"), annotations);
    json.append(",\"startsAt\":\"").append(AlertJson.time(startsAt));
    json.append("\",\"endsAt\":\"").append(AlertJson.time(endsAt)).append('"');
    if (!source.isEmpty()) {
      HttpResponses.appendString(json.append(",\"generatorURL\":"), source);
    }
    return json.append('}');
  }

  /// True when another notice of the same alert says nothing else.
  boolean isSame(Notice other) {
    return isResolved == other.isResolved && startsAt == other.startsAt;
  }
}
