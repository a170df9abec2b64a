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
  void appendMetrics(MetricText text) {
    List<Senders.Total> totals = senders.totals();
    text.head("widerow_protocol_events_total", "counter", "Events by protocol and outcome.");
    for (Senders.Total total : totals) {
      String series = "widerow_protocol_events_total{protocol=\"" + total.protocol() + '"';
      outcomes(text, series, total.accepted(), total.duplicates(), total.rejected());
    }
    text.head(
        "widerow_protocol_refused_total",
        "counter",
        "Requests and connections refused as a whole, datagrams dropped.");
    for (Senders.Total total : totals) {
      text.line(
          "widerow_protocol_refused_total{protocol=\"" + total.protocol() + "\"}", total.refused());
    }
    List<SenderActivity.Moment> all = senders.list();
    List<SenderActivity.Moment> last = all.subList(0, Math.min(IN_METRICS_MAX, all.size()));
    text.head("widerow_sender_events_total", "counter", "Events of the latest senders.");
    for (SenderActivity.Moment sender : last) {
      String series = "widerow_sender_events_total{" + labels(sender);
      outcomes(text, series, sender.accepted(), sender.duplicates(), sender.rejected());
    }
    text.head(
        "widerow_sender_refused_total", "counter", "Refusals and drops of the latest senders.");
    for (SenderActivity.Moment sender : last) {
      text.line("widerow_sender_refused_total{" + labels(sender) + "}", sender.refused());
    }
  }

  private static void outcomes(
      MetricText text, String series, long accepted, long duplicates, long rejected) {
    text.line(series + ",outcome=\"accepted\"}", accepted);
    text.line(series + ",outcome=\"duplicate\"}", duplicates);
    text.line(series + ",outcome=\"rejected\"}", rejected);
  }

  private static String labels(SenderActivity.Moment sender) {
    return "protocol=\"%s\",sender=%s"
        .formatted(sender.protocol(), MetricText.quoted(sender.sender()));
  }
}
