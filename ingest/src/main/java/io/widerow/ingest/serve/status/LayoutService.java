package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.ingest.config.Age;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.LayoutSettings;
import io.widerow.storage.embedded.LayoutSettings.Standing;
import io.widerow.storage.embedded.LayoutSettings.TypeLayout;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The layout over HTTP: `GET /v1/layout` lists the types with their width and shards, `PUT` fixes
/// some or lets the store choose, `DELETE` removes such a rule, and `GET /v1/layout/overrides`
/// lists them. A store on a cluster has the layout of its configuration: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class LayoutService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/layout";
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,9}");
  private static final String AUTO = "auto";
  private static final int MEASURED_MAX = 100;
  private static final String OF_CLUSTER =
      "the layout of a store on a cluster is that of its configuration: set bucket-minutes and"
          + " shards there";

  private final EventStore store;
  private final MaintenanceRoutes<EmbeddedStore> routes;
  private final MultiGauge shards;
  private final MultiGauge widths;
  private volatile Map<String, TypeLayout> measured = Map.of(); // by type

  public LayoutService(EventStore store, MeterRegistry registry) {
    this.store = store;
    this.routes = MaintenanceRoutes.of(PATH, store, OF_CLUSTER, embedded -> embedded);
    this.shards =
        MultiGauge.builder("widerow.type.shards")
            .description("Shards of a bucket of a type, of the 100 busiest types")
            .register(registry);
    this.widths =
        MultiGauge.builder("widerow.type.width.minutes")
            .description("Width of a bucket of a type, of the 100 busiest types")
            .register(registry);
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.ADMIN, this::list),
        routes.change(HttpMethod.PUT, this::set),
        routes.change(HttpMethod.DELETE, this::unset),
        routes.get("/overrides", Tokens.Scope.ADMIN, this::rules));
  }

  /// Lets types follow their rates. Call it a few times a second.
  public void look() {
    if (store instanceof EmbeddedStore embedded) {
      embedded.layout().look();
    }
  }

  /// Renews the metrics. A series that stays is not registered again: a reader that comes between
  /// could find it twice.
  public void measure() {
    if (store instanceof EmbeddedStore embedded) {
      List<TypeLayout> busiest = embedded.layout().busiest(MEASURED_MAX);
      measured =
          busiest.stream().collect(Collectors.toUnmodifiableMap(TypeLayout::type, each -> each));
      shards.register(rows(busiest, TypeLayout::shards));
      widths.register(rows(busiest, TypeLayout::widthMinutes));
    }
  }

  private List<MultiGauge.Row<?>> rows(List<TypeLayout> types, ToIntFunction<TypeLayout> figure) {
    return types.stream()
        .<MultiGauge.Row<?>>map(
            each -> MultiGauge.Row.of(Tags.of("type", each.type()), () -> of(each.type(), figure)))
        .toList();
  }

  private Number of(String type, ToIntFunction<TypeLayout> figure) {
    TypeLayout layout = measured.get(type);
    return layout == null ? Double.NaN : figure.applyAsInt(layout);
  }

  /// `GET /v1/layout`: one line for each type.
  private HttpResponse list(EmbeddedStore embedded, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    StringBuilder lines = new StringBuilder();
    for (TypeLayout type : embedded.layout().types()) {
      HttpResponses.appendString(lines.append("{\"type\":"), type.type());
      lines.append(",\"width\":").append(type.widthMinutes());
      lines.append(",\"shards\":").append(type.shards());
      lines.append(",\"rate\":").append(Math.round(type.eventsPerSecond()));
      lines.append(",\"state\":\"").append(type.phase());
      lines.append("\",\"fixed\":").append(type.fixed()).append("}\n");
    }
    return MaintenanceRoutes.lines(lines);
  }

  /// `GET /v1/layout/overrides`: one line for each override, by precedence.
  private HttpResponse rules(EmbeddedStore embedded, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    StringBuilder lines = new StringBuilder();
    embedded.layout().rules().forEach(rule -> append(lines, rule));
    return MaintenanceRoutes.lines(lines);
  }

  /// `PUT /v1/layout?type=GLOB&width=15m|auto&shards=4|auto`.
  private HttpResponse set(EmbeddedStore embedded, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "width", "shards"));
    String glob = Parameters.required(given, "type");
    String width = Parameters.single(given, "width");
    String number = Parameters.single(given, "shards");
    LayoutOverride rule =
        new LayoutOverride(
            glob,
            width == null ? LayoutOverride.UNSAID : minutes(width),
            number == null ? LayoutOverride.UNSAID : shards(number),
            Source.API);
    LayoutSettings layout = embedded.layout();
    String line = append(new StringBuilder(), layout.set(rule)).toString();
    LOG.log(Level.INFO, "the layout was set: {0}", line.strip());
    return HttpResponses.json(HttpStatus.OK, line);
  }

  /// `DELETE /v1/layout?type=GLOB`.
  private HttpResponse unset(EmbeddedStore embedded, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type"));
    String glob = Parameters.required(given, "type");
    embedded.layout().unset(glob);
    LOG.log(Level.INFO, "the layout was unset: {0}", glob);
    return MaintenanceRoutes.unset(glob);
  }

  /// A width: minutes, or a time like `15m` or `1d`.
  private static int minutes(String text) {
    if (text.equals(AUTO)) {
      return LayoutOverride.AUTO;
    }
    if (NUMBER.matcher(text).matches()) {
      return positive("width", Integer.parseInt(text));
    }
    Duration width = Age.parse("width:", text).duration();
    if (width == null || width.toSeconds() % 60 != 0) {
      throw new IllegalArgumentException(
          "width: must be auto or divide a day, 1m to 1d, got " + text);
    }
    return positive("width", Math.toIntExact(Math.min(width.toMinutes(), Integer.MAX_VALUE)));
  }

  private static int shards(String text) {
    if (text.equals(AUTO)) {
      return LayoutOverride.AUTO;
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new IllegalArgumentException("shards: must be auto or a number, got " + text);
    }
    return positive("shards", Integer.parseInt(text));
  }

  private static int positive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(
          "%s: must be auto or positive, got %d".formatted(name, value));
    }
    return value;
  }

  private static StringBuilder append(StringBuilder json, Standing standing) {
    LayoutOverride rule = standing.rule();
    HttpResponses.appendString(json.append("{\"type\":"), rule.glob());
    json.append(",\"width\":").append(value(rule.widthMinutes()));
    json.append(",\"shards\":").append(value(rule.shards()));
    json.append(",\"source\":\"").append(rule.source().name().toLowerCase(Locale.ROOT));
    return json.append("\",\"types\":").append(standing.types()).append("}\n");
  }

  private static String value(int value) {
    return switch (value) {
      case LayoutOverride.AUTO -> "\"auto\"";
      case LayoutOverride.UNSAID -> "null";
      default -> Integer.toString(value);
    };
  }
}
