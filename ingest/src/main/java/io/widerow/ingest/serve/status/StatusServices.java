package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.MemoryPlan;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.doctor.Conditions;
import io.widerow.ingest.doctor.Doctor;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.intake.RejectedSamples;
import io.widerow.ingest.lane.LaneRing;
import io.widerow.ingest.transform.TransformFile;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.ClockReport;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The endpoints that report the state of the daemon.
///
/// - Threads: any event loop.
public final class StatusServices {
  private static final String VERSION = BuildVersion.value();

  private static final MediaType PROMETHEUS =
      MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

  private final Intake intake;
  private final EventStore store;
  private final PrometheusMeterRegistry registry;
  private final DaemonConfig config;
  private final SendersService senders;
  private final @Nullable TransformFile transforms;
  private final Doctor doctor;
  private final AlertService alerts;
  private final PartitionWeightMetric weights;
  private final LongSupplier usableBytes;
  private final KafkaService kafka;
  private final BackupService backup;
  private final ColdService cold;

  /// @param transforms null when there are none
  /// @param usableBytes free bytes of the store's file system
  public StatusServices(
      DaemonConfig config,
      Intake intake,
      EventStore store,
      @Nullable TransformFile transforms,
      PrometheusMeterRegistry registry,
      Doctor doctor,
      AlertService alerts,
      LongSupplier usableBytes,
      KafkaService kafka,
      BackupService backup,
      ColdService cold) {
    this.kafka = kafka;
    this.backup = backup;
    this.cold = cold;
    this.alerts = alerts;
    this.weights = new PartitionWeightMetric(store, System::nanoTime);
    this.doctor = doctor;
    this.usableBytes = usableBytes;
    this.transforms = transforms;
    this.config = config;
    this.intake = intake;
    this.store = store;
    this.registry = registry;
    this.senders = new SendersService(intake.senders());
  }

  public List<HttpRoute> routes() {
    return List.of(
        HttpRoute.get("/metrics", Tokens.Scope.ADMIN, this::metrics),
        HttpRoute.get("/v1/status", Tokens.Scope.ADMIN, this::status),
        HttpRoute.get("/v1/senders", Tokens.Scope.ADMIN, senders::answer),
        HttpRoute.get("/v1/kafka", Tokens.Scope.ADMIN, kafka::partitions),
        HttpRoute.post("/v1/kafka/seen", Tokens.Scope.ADMIN, kafka::seen),
        HttpRoute.probe("/ready", this::ready),
        HttpRoute.probe("/health", this::health),
        HttpRoute.probe("/ping", this::ping));
  }

  /// `GET /ready`: 200 while all writes are accepted, otherwise 503 with the reason.
  private HttpResponse ready(ServiceRequestContext context, HttpRequest request) {
    ClockReport clock = store.clock();
    String why = notReady(clock);
    return why == null
        ? HttpResponses.json(HttpStatus.OK, readyJson(clock))
        : HttpResponses.error(HttpStatus.SERVICE_UNAVAILABLE, why);
  }

  private @Nullable String notReady(ClockReport clock) {
    String failure = intake.lanes().failure();
    if (failure != null) {
      return "writing has ended: " + failure;
    }
    if (intake.draining()) {
      return "the daemon is stopping";
    }
    String full = intake.full();
    if (full != null) {
      return "the disk is full: " + full;
    }
    return clock.state() == ClockReport.State.REFUSED ? Conditions.clockSentence(clock) : null;
  }

  /// Partial damage, and a clock that retention does not follow, are reported but do not stop
  /// writes: they make nothing worse.
  private String readyJson(ClockReport clock) {
    StringBuilder json = new StringBuilder("{\"ready\":true");
    if (clock.state() != ClockReport.State.RIGHT) {
      HttpResponses.appendString(json.append(",\"clock\":"), Conditions.clockSentence(clock));
      Finding.appendAll(json.append(','), Conditions.clock(clock)); // others would reveal names
    }
    ClusterReport cluster = store.cluster();
    if (cluster != null) {
      json.append(",\"cluster\":\"").append(ClusterStatus.state(cluster)).append('"');
    }
    List<String> rules = alerts.problems();
    for (int i = 0; i < rules.size(); i++) {
      json.append(i == 0 ? ",\"rules\":[" : ",");
      HttpResponses.appendString(json, rules.get(i));
    }
    json.append(rules.isEmpty() ? "" : "]");
    List<Damage> damage = store.statistics().damage();
    for (int i = 0; i < damage.size(); i++) {
      json.append(i == 0 ? ",\"damaged\":[" : ",");
      HttpResponses.appendString(json, damage.get(i).sentence());
    }
    return json.append(damage.isEmpty() ? "}\n" : "]}\n").toString();
  }

  /// `GET /health`, in the form of InfluxDB 2.
  private HttpResponse health(ServiceRequestContext context, HttpRequest request) {
    String failure = intake.lanes().failure();
    StringBuilder json = new StringBuilder("{\"name\":\"widerow\",\"message\":");
    HttpResponses.appendString(json, failure == null ? "ready for writes and queries" : failure);
    json.append(",\"status\":\"").append(failure == null ? "pass" : "fail");
    json.append("\",\"checks\":[],\"version\":\"").append(VERSION).append("\",\"commit\":\"");
    json.append(BuildVersion.commit()).append("\"}\n");
    HttpStatus status = failure == null ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE;
    return HttpResponses.json(status, json.toString());
  }

  /// `GET /ping` and `HEAD /ping`, in the form of InfluxDB.
  private HttpResponse ping(ServiceRequestContext context, HttpRequest request) {
    return HttpResponse.of(
        ResponseHeaders.of(
            HttpStatus.NO_CONTENT,
            "x-influxdb-version",
            "widerow-" + VERSION,
            "x-influxdb-build",
            "OSS"));
  }

  /// `GET /metrics`.
  private HttpResponse metrics(ServiceRequestContext context, HttpRequest request) {
    return HttpResponse.of(HttpStatus.OK, PROMETHEUS, HttpData.ofUtf8(metrics()));
  }

  /// The metrics in the text format of Prometheus.
  public String metrics() {
    MetricText text = new MetricText(new StringBuilder(registry.scrape()));
    senders.appendMetrics(text);
    alerts.appendMetrics(text);
    weights.append(text);
    if (transforms != null) {
      TransformReport.appendMetrics(text, transforms);
    }
    StateMetrics.append(
        text,
        store.statistics(),
        doctor.findings(),
        usableBytes.getAsLong(),
        config.store().diskReserveBytes());
    ClusterReport cluster = store.cluster();
    if (cluster != null) {
      ClusterStatus.appendMetrics(text, cluster);
    }
    return text.text().toString();
  }

  /// `GET /v1/status`.
  private HttpResponse status(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    StringBuilder json = new StringBuilder("{\"version\":\"").append(VERSION);
    json.append("\",\"commit\":\"").append(BuildVersion.commit()).append('"');
    String failure = intake.lanes().failure();
    long usable = usableBytes.getAsLong();
    ClockReport clock = store.clock();
    json.append(",\"state\":\"").append(state(failure, clock)).append('"');
    if (failure != null) {
      HttpResponses.appendString(json.append(",\"failure\":"), failure);
    }
    HttpResponses.appendString(json.append(",\"clock\":"), Conditions.clockSentence(clock));
    Finding.appendAll(json.append(','), doctor.findings());
    ByteCredit credit = intake.credit();
    json.append(",\"requests\":{\"inFlight\":").append(intake.inFlight());
    json.append(",\"bytesUsed\":").append(credit.bytesUsed());
    json.append(",\"bytesMax\":").append(credit.bytesMax());
    json.append(",\"refused\":").append(credit.refused()).append("},\"lanes\":[");
    int number = 0;
    for (LaneRing lane : intake.lanes().all()) {
      json.append(number == 0 ? "" : ",").append("{\"lane\":").append(number++);
      json.append(",\"slots\":").append(lane.slots());
      json.append(",\"slotsUsed\":").append(lane.slotsUsed()).append('}');
    }
    json.append("],\"store\":{");
    DoctorService.appendVersions(json, store.versions());
    appendStore(json, store.statistics());
    json.append("},\"memory\":{").append(new MemoryPlan(config).json());
    json.append("},\"disk\":{\"usableBytes\":").append(usable);
    json.append(",\"reserveBytes\":").append(config.store().diskReserveBytes());
    ClusterReport cluster = store.cluster();
    if (cluster != null) {
      ClusterStatus.append(json.append("},"), cluster, intake.epochNanos() / 1_000_000);
      json.setLength(json.length() - 1); // the brace that the next part closes
    }
    if (transforms != null) {
      TransformReport.append(json.append("},\"transforms\":{"), transforms);
    }
    appendRejected(json.append("},\"rejected\":["), intake.rejected().list());
    senders.appendTotals(json.append("],\"protocols\":["));
    json.append(']').append(kafka.summary()).append(backup.summary()).append(cold.summary());
    return HttpResponses.json(HttpStatus.OK, json.append("}\n").toString());
  }

  private String state(@Nullable String failure, ClockReport clock) {
    if (failure != null) {
      return "failed";
    }
    if (intake.draining()) {
      return "stopping";
    }
    if (intake.full() != null) {
      return "disk-full";
    }
    return clock.state() == ClockReport.State.REFUSED ? "clock-wrong" : "ready";
  }

  private static void appendStore(StringBuilder json, StoreStatistics store) {
    json.append("\"eventsCommitted\":").append(store.eventsCommitted());
    json.append(",\"eventBytesCommitted\":").append(store.eventBytesCommitted());
    json.append(",\"openEvents\":").append(store.openEvents());
    json.append(",\"openRowBytes\":").append(store.openRowBytes());
    json.append(",\"openBytes\":").append(store.openBytes());
    json.append(",\"segments\":").append(store.segments());
    json.append(",\"segmentEvents\":").append(store.segmentEvents());
    json.append(",\"segmentBytes\":").append(store.segmentBytes());
    json.append(",\"journalBytes\":").append(store.journalBytes());
    json.append(",\"journalBytesWritten\":").append(store.journalBytesWritten());
    json.append(",\"segmentBytesWritten\":").append(store.segmentBytesWritten());
    json.append(",\"sealed\":").append(store.sealed());
    json.append(",\"merged\":").append(store.merged());
    HttpResponses.appendString(json.append(",\"failure\":"), store.failure());
    HttpResponses.appendString(json.append(",\"backgroundFailure\":"), store.backgroundFailure());
    json.append(",\"damage\":[");
    for (int i = 0; i < store.damage().size(); i++) {
      appendDamage(json.append(i == 0 ? "" : ","), store.damage().get(i));
    }
    json.append(']');
  }

  private static void appendRejected(StringBuilder json, List<RejectedSamples.Sample> samples) {
    String comma = "";
    for (RejectedSamples.Sample sample : samples) {
      json.append(comma).append("{\"ts\":\"").append(sample.when()).append("\",\"source\":");
      HttpResponses.appendString(json, sample.source())
          .append(",\"index\":")
          .append(sample.index());
      HttpResponses.appendString(json.append(",\"reason\":"), sample.reason()).append('}');
      comma = ",";
    }
  }

  private static void appendDamage(StringBuilder json, Damage damage) {
    json.append("{\"what\":\"").append(damage.kind().name().toLowerCase(Locale.ROOT));
    HttpResponses.appendString(json.append("\",\"file\":"), damage.place());
    json.append(",\"offset\":").append(damage.offset());
    HttpResponses.appendString(json.append(",\"found\":"), damage.found());
    json.append(",\"events\":").append(damage.events()).append(",\"partitions\":[");
    for (int i = 0; i < damage.partitions().size(); i++) {
      String key = damage.partitions().get(i).key().toString();
      HttpResponses.appendString(json.append(i == 0 ? "" : ","), key);
    }
    json.append("]}");
  }
}
