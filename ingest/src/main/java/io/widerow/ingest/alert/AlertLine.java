package io.widerow.ingest.alert;

import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.aggregation.Cell;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An alert rule and its state, as `GET /v1/alerts` shows them in a line.
///
/// @param kept the rule that the store keeps; null for one of a file
record AlertLine(RuleGroup group, Rule rule, @Nullable AlertRule kept, AlertState state) {
  private static final Pattern JSON_NUMBER =
      Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

  String json() {
    StringBuilder json = new StringBuilder("{\"rule\":");
    HttpResponses.appendString(json, rule.name());
    HttpResponses.appendString(json.append(",\"stats\":"), given("stats"));
    HttpResponses.appendString(json.append(",\"type\":"), given("type"));
    HttpResponses.appendString(json.append(",\"where\":"), given("where"));
    AlertRule of = kept;
    HttpResponses.appendString(
        json.append(",\"every\":"), of == null ? seconds(group.intervalMillis()) : of.every());
    json.append(",\"above\":").append(threshold(given("above")));
    json.append(",\"below\":").append(threshold(given("below")));
    String lasting = rule.forMillis() == 0 ? null : seconds(rule.forMillis());
    HttpResponses.appendString(json.append(",\"for\":"), of == null ? lasting : of.text("for"));
    json.append(",\"state\":\"").append(state.kind().text);
    json.append("\",\"value\":").append(number(state.value()));
    Long step = state.stepNanos();
    HttpResponses.appendString(
        json.append(",\"step\":"), step == null ? null : Instant.EPOCH.plusNanos(step).toString());
    HttpResponses.appendString(json.append(",\"why\":"), state.why());
    HttpResponses.appendString(json.append(",\"group\":"), group.key());
    return HttpResponses.appendString(json.append(",\"expr\":"), rule.expr().text())
        .append("}\n")
        .toString();
  }

  private @Nullable String given(String parameter) {
    AlertRule of = kept;
    return of == null ? null : of.text(parameter);
  }

  private static String seconds(long millis) {
    return millis % 60_000 == 0
        ? millis / 60_000 + "m"
        : millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
  }

  /// A threshold as it was given, if that is a number in JSON too: `1d` and `+5` are none.
  private static String threshold(@Nullable String given) {
    if (given == null) {
      return "null";
    }
    return JSON_NUMBER.matcher(given).matches()
        ? given
        : BigDecimal.valueOf(Double.parseDouble(given)).toString();
  }

  /// A finite number as it is; else there is none.
  static String number(@Nullable Cell value) {
    return value != null && JSON_NUMBER.matcher(value.text()).matches() ? value.text() : "null";
  }
}
