package io.widerow.ingest.alert;

import io.widerow.ingest.alert.ActiveAlert.State;
import io.widerow.ingest.alert.AlertSteps.Transition;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.series.Labels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Alerts in JSON: as the store keeps them, and as histories show them.
public final class AlertJson {
  private AlertJson() {}

  /// An alert with the number of its rule in the group.
  ///
  /// @param since when it was found late, see [LateAlert]; 0 for another alert
  /// @param delivered whether it was delivered since
  record Kept(int rule, String name, ActiveAlert alert, long since, boolean delivered) {
    /// One that is not late.
    Kept(int rule, String name, ActiveAlert alert) {
      this(rule, name, alert, 0, false);
    }
  }

  static StringBuilder appendMap(StringBuilder json, Map<String, String> map) {
    json.append('{');
    String comma = "";
    for (Map.Entry<String, String> each : map.entrySet()) {
      HttpResponses.appendString(json.append(comma), each.getKey()).append(':');
      HttpResponses.appendString(json, each.getValue());
      comma = ",";
    }
    return json.append('}');
  }

  /// A change as a line of a history, without the end of the line.
  static String line(Transition change) {
    StringBuilder json = new StringBuilder("{\"ts\":\"").append(time(change.millis()));
    HttpResponses.appendString(json.append("\",\"alert\":"), change.alert());
    appendMap(json.append(",\"labels\":"), change.labels().map());
    json.append(",\"from\":\"").append(change.from().text());
    json.append("\",\"to\":\"").append(change.to().text());
    return json.append("\",\"value\":\"")
        .append(GoNumber.json(change.value()))
        .append("\"}")
        .toString();
  }

  static Instant time(long millis) {
    return Instant.ofEpochMilli(millis);
  }

  static String kept(Kept kept) {
    ActiveAlert alert = kept.alert();
    StringBuilder json = new StringBuilder("{\"rule\":").append(kept.rule());
    HttpResponses.appendString(json.append(",\"name\":"), kept.name());
    appendMap(json.append(",\"labels\":"), alert.labels().map());
    appendMap(json.append(",\"annotations\":"), alert.annotations());
    json.append(",\"state\":\"").append(alert.state().text());
    json.append("\",\"value\":\"").append(GoNumber.json(alert.value()));
    json.append("\",\"activeAt\":").append(alert.activeAt());
    json.append(",\"firedAt\":").append(alert.firedAt());
    json.append(",\"resolvedAt\":").append(alert.resolvedAt());
    json.append(",\"keepSince\":").append(alert.keepSince());
    json.append(",\"since\":").append(kept.since());
    return json.append(",\"delivered\":").append(kept.delivered()).append('}').toString();
  }

  /// The alerts in an array of [#kept].
  ///
  /// @throws IllegalArgumentException when the text is none
  static List<Kept> readKept(String text) {
    return items(text).stream().map(AlertJson::readOne).toList();
  }

  /// The lines in an array of [#line].
  static List<String> readLines(String text) {
    return items(text).stream()
        .map(each -> each.source().substring(each.from(), each.until()))
        .toList();
  }

  private static List<JsonNode> items(String text) {
    try {
      List<JsonNode> items = JsonNode.parse(text, JsonNode.DEPTH_MAX, _ -> {}).items();
      return items == null ? List.of() : items;
    } catch (JsonException wrong) {
      throw new IllegalArgumentException(
          "alerts of the store: %s, got %s".formatted(wrong.getMessage(), text), wrong);
    }
  }

  private static Kept readOne(JsonNode node) {
    return new Kept(
        Math.toIntExact(number(node, "rule")),
        text(node, "name"),
        new ActiveAlert(
            Labels.of(texts(node, "labels")),
            texts(node, "annotations"),
            State.of(text(node, "state")),
            value(text(node, "value")),
            number(node, "activeAt"),
            number(node, "firedAt"),
            number(node, "resolvedAt"),
            number(node, "keepSince")),
        number(node, "since"),
        text(node, "delivered").equals("true"));
  }

  private static double value(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  static String text(JsonNode node, String name) {
    @Nullable JsonNode there = node.at(List.of(name));
    if (there == null) {
      throw new IllegalArgumentException("alerts of the store: no member " + name);
    }
    return there.toString();
  }

  private static long number(JsonNode node, String name) {
    return Long.parseLong(text(node, name));
  }

  private static SortedMap<String, String> texts(JsonNode node, String name) {
    JsonNode there = node.at(List.of(name));
    return there == null ? new TreeMap<>() : there.texts();
  }
}
