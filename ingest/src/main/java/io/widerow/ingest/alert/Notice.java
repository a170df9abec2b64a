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
/// @param endsAt when it was resolved, or until when it fires unless something else is heard; that
///   of a late one is determined when it is sent
/// @param source where people see the expression; empty for nowhere
record Notice(
    Labels labels,
    SortedMap<String, String> annotations,
    long startsAt,
    long endsAt,
    Kind kind,
    String source) {
  /// What a notice says.
  enum Kind {
    FIRING,
    RESOLVED,
    /// It fired and ended before the events arrived that show it, and fires for a while now.
    LATE
  }

  static Notice late(ActiveAlert alert, String source) {
    return new Notice(alert.labels(), alert.annotations(), alert.firedAt(), 0, Kind.LATE, source);
  }

  boolean isResolved() {
    return kind == Kind.RESOLVED;
  }

  Notice withEnd(long millis) {
    return new Notice(labels, annotations, startsAt, millis, kind, source);
  }

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
    return kind == other.kind && startsAt == other.startsAt;
  }
}
