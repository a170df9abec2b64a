package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.intake.SenderActivity;
import io.widerow.ingest.intake.Senders;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// `GET /v1/senders`: the senders with their types, rates, lags and last refusals; one sender a
/// line, the latest sender first. The same is part of `/metrics` and, as totals of the protocols,
/// of `/v1/status`.
///
/// - Threads: any event loop.
record SendersService(Senders senders) {
  /// Senders in `/metrics`: each is four time series.
  private static final int IN_METRICS_MAX = 100;

  HttpResponse answer(ServiceRequestContext context, HttpRequest request) throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    StringBuilder json = new StringBuilder();
    for (SenderActivity.Moment sender : senders.list()) {
      append(json, sender);
    }
    return MaintenanceRoutes.lines(json);
  }

  private static void append(StringBuilder json, SenderActivity.Moment sender) {
    HttpResponses.appendString(json.append("{\"protocol\":"), sender.protocol());
    HttpResponses.appendString(json.append(",\"sender\":"), sender.sender());
    appendText(json.append(",\"agent\":"), sender.agent());
    appendText(json.append(",\"type\":"), sender.type());
    json.append(",\"perSecond\":").append(decimals(sender.eventsPerSecond()));
    json.append(",\"lateSeconds\":").append(decimals(sender.lateSeconds()));
    json.append(",\"accepted\":").append(sender.accepted());
    json.append(",\"duplicate\":").append(sender.duplicates());
    json.append(",\"rejected\":").append(sender.rejected());
    json.append(",\"refused\":").append(sender.refused());
    json.append(",\"last\":\"").append(Instant.ofEpochSecond(sender.lastSeconds()));
    appendText(json.append("\",\"refusal\":"), refusal(sender)).append("}\n");
  }

  /// A text, or `null` for an empty one: nothing was said.
  private static StringBuilder appendText(StringBuilder json, String text) {
    return text.isEmpty() ? json.append("null") : HttpResponses.appendString(json, text);
  }

  private static String refusal(SenderActivity.Moment sender) {
    @Nullable String reason = sender.refusal();
    return reason == null ? "" : Instant.ofEpochSecond(sender.refusalSeconds()) + " " + reason;
  }

  private static String decimals(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /// The member of `/v1/status`.
  void appendTotals(StringBuilder json) {
    String comma = "";
    for (Senders.Total total : senders.totals()) {
      HttpResponses.appendString(json.append(comma).append("{\"protocol\":"), total.protocol());
      json.append(",\"accepted\":").append(total.accepted());
      json.append(",\"duplicate\":").append(total.duplicates());
      json.append(",\"rejected\":").append(total.rejected());
      json.append(",\"refused\":").append(total.refused()).append('}');
      comma = ",";
    }
  }

  /// The lines of `/metrics`.
  void appendMetrics(StringBuilder text) {
    List<Senders.Total> totals = senders.totals();
    head(text, "widerow_protocol_events", "Events by protocol and outcome.");
    for (Senders.Total total : totals) {
      String labels = "protocol=\"" + total.protocol() + '"';
      line(text, "widerow_protocol_events", labels, "accepted", total.accepted());
      line(text, "widerow_protocol_events", labels, "duplicate", total.duplicates());
      line(text, "widerow_protocol_events", labels, "rejected", total.rejected());
    }
    head(
        text,
        "widerow_protocol_refused",
        "Requests and connections refused as a whole, datagrams dropped.");
    for (Senders.Total total : totals) {
      text.append("widerow_protocol_refused_total{protocol=\"").append(total.protocol());
      text.append("\"} ").append(total.refused()).append('\n');
    }
    head(text, "widerow_sender_events", "Events of the latest senders.");
    List<SenderActivity.Moment> all = senders.list();
    List<SenderActivity.Moment> last = all.subList(0, Math.min(IN_METRICS_MAX, all.size()));
    for (SenderActivity.Moment sender : last) {
      line(text, "widerow_sender_events", labels(sender), "accepted", sender.accepted());
      line(text, "widerow_sender_events", labels(sender), "duplicate", sender.duplicates());
      line(text, "widerow_sender_events", labels(sender), "rejected", sender.rejected());
    }
    head(text, "widerow_sender_refused", "Refusals and drops of the latest senders.");
    for (SenderActivity.Moment sender : last) {
      text.append("widerow_sender_refused_total{").append(labels(sender));
      text.append("} ").append(sender.refused()).append('\n');
    }
  }

  private static void head(StringBuilder text, String name, String help) {
    text.append("# HELP ").append(name).append("_total ").append(help).append('\n');
    text.append("# TYPE ").append(name).append("_total counter\n");
  }

  private static void line(
      StringBuilder text, String name, String labels, String outcome, long value) {
    text.append(name).append("_total{").append(labels).append(",outcome=\"").append(outcome);
    text.append("\"} ").append(value).append('\n');
  }

  private static String labels(SenderActivity.Moment sender) {
    String escaped =
        sender.sender().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return "protocol=\"%s\",sender=\"%s\"".formatted(sender.protocol(), escaped);
  }
}
