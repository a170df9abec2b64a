package io.widerow.ingest;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.widerow.event.PartitionKey;
import io.widerow.ingest.alert.AlertEngine;
import io.widerow.ingest.alert.Alertmanagers;
import io.widerow.ingest.alert.RuleDirectory;
import io.widerow.ingest.alert.RuleReader;
import io.widerow.ingest.config.AlertOptions;
import io.widerow.ingest.config.ColdKeys;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.DaemonStoreOptions;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.config.HostName;
import io.widerow.ingest.config.TlsFiles;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.doctor.Doctor;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.doctor.FreeSpace;
import io.widerow.ingest.http.Access;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.LokiTenants;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.ClosedBuckets;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import io.widerow.ingest.lane.TypeBudget;
import io.widerow.ingest.receive.datadog.DatadogProtocol;
import io.widerow.ingest.receive.elastic.ElasticProtocol;
import io.widerow.ingest.receive.gelf.GelfProtocol;
import io.widerow.ingest.receive.influx.InfluxProtocol;
import io.widerow.ingest.receive.journald.JournalProtocol;
import io.widerow.ingest.receive.json.EventsProtocol;
import io.widerow.ingest.receive.loki.LokiProtocol;
import io.widerow.ingest.receive.otlp.OtlpProtocol;
import io.widerow.ingest.receive.prometheus.PrometheusProtocol;
import io.widerow.ingest.receive.splunk.HecProtocol;
import io.widerow.ingest.serve.loki.LokiService;
import io.widerow.ingest.serve.page.PageService;
import io.widerow.ingest.serve.page.SelfService;
import io.widerow.ingest.serve.prometheus.OtlpDescriptions;
import io.widerow.ingest.serve.prometheus.PrometheusRoutes;
import io.widerow.ingest.serve.query.QueryServices;
import io.widerow.ingest.serve.reply.LowPriorityThread;
import io.widerow.ingest.serve.status.AlertService;
import io.widerow.ingest.serve.status.BacktestService;
import io.widerow.ingest.serve.status.ClockService;
import io.widerow.ingest.serve.status.DeletionService;
import io.widerow.ingest.serve.status.DoctorService;
import io.widerow.ingest.serve.status.IndexService;
import io.widerow.ingest.serve.status.LayoutService;
import io.widerow.ingest.serve.status.ReparseService;
import io.widerow.ingest.serve.status.RepartitionService;
import io.widerow.ingest.serve.status.RetentionService;
import io.widerow.ingest.serve.status.RollupService;
import io.widerow.ingest.serve.status.RuleLists;
import io.widerow.ingest.serve.status.SavedQueryService;
import io.widerow.ingest.serve.status.SnapshotService;
import io.widerow.ingest.serve.status.StatusServices;
import io.widerow.ingest.serve.status.TransformService;
import io.widerow.ingest.socket.SocketReceiver;
import io.widerow.ingest.transform.TransformFile;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.EmbeddedStore;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The daemon, which accepts events and serves queries: it starts the receivers and the lanes, and
/// stops them in order.
///
/// | thread | number | does |
/// |---|---|---|
/// | `widerow-lane-<n>` | one per lane | all writing to the lane's journal and open rows |
/// | `armeria-boss-<address>` | one | accepts connections for the next |
/// | `widerow-net-<n>` | at most one per core | sockets, decoding of small bodies, small queries |
/// | `widerow-<protocol>` | one per socket protocol that is on | its sockets and decoding |
/// | `armeria-common-blocking-tasks-<n>` | as needed | large or compressed bodies, snapshots |
/// | `widerow-background-<n>` | 2, and one for two lanes | sealing, journal files; the opener's |
/// | `widerow-tables` | 1, with the first write | writes of tables; the opener's |
/// | `widerow-quorum` | one, on a cluster | answers what the cluster has, or has not in time |
/// | `widerow-alerts` | one | evaluates rules, at low priority |
/// | `widerow-notify-<n>` | one per Alertmanager, virtual | sends alerts |
/// | `widerow-backtest-<n>` | one per query | evaluating rules over the past |
/// | `widerow-merge` | one | merging, retention; the opener's, at low priority |
/// | `widerow-maintenance` | one | calls the store's maintenance, wakes idle lanes |
/// | `widerow-start` | one, while the store opens | loads the classes of the HTTP server |
/// | `widerow-read-ahead-<n>` | up to 8, while queries wait for disks | prefetch; the opener's |
/// | `widerow-search` | cores - 1, while queries search | blocks; the opener's, at low priority |
/// | `widerow-query-<n>` | one per query | reading and writing its response |
/// | `widerow-prometheus-<n>` | one per query of Prometheus | reading, writing |
/// | `widerow-loki-<n>` | one per query of Loki's API | reading its response |
/// | `widerow-cql-<n>` | one per query of CQL, virtual | reading its response |
/// | `widerow-kafka-<source>-<n>` | `readers` per source of Kafka | polling, decoding |
/// | `widerow-forward` | one with the key `forward` | reading, sending |
/// | `widerow-backup` | one for the backup's frames | reading journals, waiting for its place |
/// | `widerow-backup-files` | one for the backup's files | reading files, waiting for its place |
/// | `widerow-cold` | one for moves to `cold` | reading files, waiting for the place |
/// | `widerow-cold-read-` | one a request of a query to `cold` | waiting for the place |
/// | `widerow-loki-tail-<n>` | one per tail of Loki's API, virtual | looking for lines, writing |
/// | `widerow-export-<n>` | one per export | reading, writing |
/// | `widerow-survey-<n>` | one per query for fields and patterns | reading, counting |
/// | `widerow-fields` | one | reads fields ahead of questions, at low priority |
/// | `widerow-tail-<n>`, `-follow-<n>` | one per answer, per tail, virtual | reading, writing |
/// | `widerow-stream-<n>` | one per endless request, virtual | reading, decoding |
///
/// - Threads: any; [#close] once.
/// - Memory: closes what it started, but not the store, which belongs to the caller.
public final class Daemon implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long BATCH_BYTES_MAX = 128L << 20;

  private static final long FAILURE_SEEN_MILLIS = 100;
  private static final Duration MAINTENANCE_PAUSE = Duration.ofSeconds(1);
  private static final Duration LAYOUT_PAUSE = Duration.ofMillis(250);

  private final DaemonConfig config;
  private final EventStore store;
  private final ClockService clock;
  private final LayoutService layout;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final @Nullable TransformFile transforms;
  private final @Nullable TlsFiles tls;
  private final @Nullable CertificateWatch certificates;
  private final Lanes lanes;
  private final TypeBudget types;
  private final Intake intake;
  private final LongSupplier usableBytes;
  private final Doctor doctor;
  private final QueryServices queries;
  private final LokiService loki;
  private final QueryMemory memory;
  private final AlertEngine alerts;
  private final ExecutorService evaluation =
      Executors.newSingleThreadExecutor(LowPriorityThread.factory("widerow-alerts"));
  private final AlertService alertService;
  private final StatusServices status;
  private final Access access;
  private final RecordFormats formats = new RecordFormats();
  private final OtherSystems others;
  private final HttpServer http;
  private final MaintenanceLoop maintenance = new MaintenanceLoop("widerow-maintenance");
  private final DiskStateLog diskState; // of the maintenance thread
  private final DamageLog damage; // of the maintenance thread
  private final SocketListeners sockets;
  private boolean closed;

  private Daemon(DaemonConfig config, EventStore store) {
    this.config = config;
    this.store = store;
    this.others = new OtherSystems(config, store, registry);
    diskState = new DiskStateLog(store::full, System::nanoTime);
    damage = new DamageLog(store);
    transforms =
        config.transforms() == null
            ? null
            : new TransformFile(config.transforms(), Daemon::epochNanos);
    tls = TlsFiles.of(config.security());
    certificates = tls == null ? null : new CertificateWatch(tls, Instant::now);
    this.clock = new ClockService(store);
    this.layout = new LayoutService(store, registry);
    DaemonStoreOptions options = config.store();
    types =
        new TypeBudget(
            config.typesMax(), config.typesPerHour(), () -> Instant.now().getEpochSecond());
    lanes =
        new Lanes(
            store,
            new Lanes.Settings(
                config.limits().laneSlots(),
                FixedLimits.LEDGER_KEYS,
                config.limits().ledgerKeysMax(),
                Math.toIntExact(config.deduplicateFor().toSeconds()),
                config.cluster().isOn() ? config.cluster().quorumWait().toNanos() : 0,
                options.storeConfig(config.data(), config.lanes()).futureMax().toNanos()),
            () -> new SpinThenParkWaitStrategy(config.limits().spinMicros() * 1_000L),
            new BatchPool(BATCH_BYTES_MAX, config.eventBytesMax(), config.limits().idleBatches()),
            transforms,
            types,
            registry,
            () -> Instant.now().getEpochSecond());
    if (store instanceof EmbeddedStore) {
      lookAtTypes(); // before the first event
    }
    ByteCredit credit = new ByteCredit(config.limits().creditBytes());
    ClosedBuckets closedBuckets =
        new ClosedBuckets(
            options.layout().ownerMinutes() * PartitionKey.NANOS_PER_MINUTE,
            options.mergeAfter().toNanos());
    intake =
        new Intake(
            lanes,
            credit,
            new Intake.Limits(
                config.bodyBytesMax(),
                config.limits().ratioMax(),
                (long) config.limits().bodyRateMin() * FixedLimits.BODY_RATE_SECONDS),
            closedBuckets,
            new BodyDigest(store.secret()),
            store::full,
            store::nowNanos);
    usableBytes = () -> FreeSpace.usableBytes(config.data().toAbsolutePath());
    doctor = doctor(closedBuckets);
    ColdKeys old = config.cold();
    memory =
        new QueryMemory(
            config.limits().queryMemoryBytes(), old == null ? Long.MAX_VALUE : old.readBudget());
    queries = new QueryServices(store, memory, config, Daemon::epochNanos, intake);
    loki =
        new LokiService(
            store, memory, queries.known(), config, Daemon::epochNanos, BuildVersion.value());
    alerts = alerts(config.alerts());
    alertService = new AlertService(alerts, Daemon::epochNanos);
    status = statusServices();
    access = new Access(config);
    http = new HttpServer(config, tls, access, routes());
    credit.whenRoom(http.connections()::roomAgain);
    sockets = new SocketListeners(config, tls, intake, registry, store, memory, access);
    var metrics = new DaemonMetrics(registry);
    metrics.ofRequests(credit, http.connections());
    metrics.ofQueries(memory, queries);
    metrics.ofWriting(lanes, transforms, types);
    if (certificates != null) {
      metrics.ofCertificates(certificates);
    }
  }

  private StatusServices statusServices() {
    return new StatusServices(
        config,
        intake,
        store,
        transforms,
        registry,
        doctor,
        alertService,
        usableBytes,
        others.kafkaService(),
        others.backupService(),
        others.coldService());
  }

  private AlertEngine alerts(AlertOptions options) {
    Path files = options.directory();
    return AlertEngine.of(
        new RuleReader(
            store,
            memory,
            queries.known(),
            new LabelMapping(config.lokiLabels()),
            new LogqlLimits(config.lokiSeriesMax(), config.logqlTextBytes())),
        memory,
        lanes,
        config.eventBytesMax(),
        files == null ? null : new RuleDirectory(files, options.intervalMillis()),
        new Alertmanagers(
            options.alertmanagers(),
            options.resendMillis(),
            options.externalLabels(),
            Daemon::epochNanos),
        new AlertEngine.Settings(
            options.resendMillis(),
            options.settleMillis(),
            options.lateMillis(),
            options.externalUrl(),
            options.externalLabels()),
        Daemon::epochNanos,
        evaluation);
  }

  private Doctor doctor(ClosedBuckets closedBuckets) {
    return new Doctor(
        store,
        intake,
        types,
        registry,
        new Doctor.Surroundings(
            System::nanoTime,
            Daemon::epochNanos,
            usableBytes,
            config.store().diskReserveBytes(),
            config.store().layout().weights(),
            closedBuckets.ageNanos(),
            this::otherFindings));
  }

  private List<Finding> otherFindings() {
    List<Finding> findings = new ArrayList<>(AlertFindings.of(alerts));
    if (certificates != null) {
      findings.addAll(certificates.findings());
    }
    findings.addAll(others.findings());
    return findings;
  }

  /// Reads rule files and other files of the configuration again.
  public void reload() {
    boolean _ = alerts.reload(true);
  }

  /// Loads the classes of the HTTP server. Call it on a thread of its own while the store opens.
  public static void prepare(DaemonConfig config) {
    HttpServer.prepare(config);
  }

  /// Starts everything and returns when requests are served.
  ///
  /// @param store open, with as many lanes as the configuration says
  /// @throws ListenException when it cannot listen on an address; nothing is left running
  /// @throws SourceRefusedException when a source cannot be read as it is configured; the same
  public static Daemon start(DaemonConfig config, EventStore store) {
    Daemon daemon = new Daemon(config, store);
    daemon.lanes.start();
    daemon.maintenance.repeat("maintenance", MAINTENANCE_PAUSE, daemon::maintain);
    daemon.maintenance.repeat("layout", LAYOUT_PAUSE, daemon.layout::look);
    try {
      daemon.others.startObjects();
      daemon.http.listen();
      daemon.sockets.listen();
      daemon.storeMetrics();
      daemon.others.start(daemon.intake, daemon.formats, daemon.memory, Daemon::epochNanos);
      return daemon;
    } catch (ListenException | SourceRefusedException refused) {
      daemon.close();
      throw refused;
    }
  }

  private void storeMetrics() {
    if (config.selfMetrics().isPositive()) {
      SelfMetrics own =
          new SelfMetrics(
              lanes,
              status::metrics,
              HostName.value() + ":" + http.address().getPort(),
              Daemon::epochNanos);
      maintenance.repeat("self-metrics", config.selfMetrics(), own::store);
    }
  }

  /// The endpoints of each HTTP protocol: one line each.
  private List<HttpRoute> routes() {
    WriteRoutes write = new WriteRoutes(intake, config.durability(), formats);
    SourceFormats.addSyslog(formats, config.syslogZone());
    var snapshots = config.store().snapshotDirectory(config.data());
    LokiTenants tenants = new LokiTenants(config.lokiTenant());
    List<HttpRoute> routes =
        Stream.of(
                EventsProtocol.routes(write.named("json")),
                InfluxProtocol.routes(write.named("influx")),
                GelfProtocol.routes(write.named("gelf")),
                HecProtocol.routes(write.named("splunk")),
                DatadogProtocol.routes(write.named("datadog")),
                ElasticProtocol.routes(write.named("elastic")),
                OtlpProtocol.routes(write.named("otlp")),
                tenants.guard(LokiProtocol.routes(write.named("loki"), config.lokiDetectsLevels())),
                PrometheusProtocol.routes(
                    write.named("prometheus"),
                    config.data(),
                    registry,
                    new OtlpDescriptions(store, memory)),
                JournalProtocol.routes(write.named("journal"), config.eventBytesMax()),
                queries.routes(),
                tenants.guard(loki.routes()),
                tenants.guard(new RuleLists(alerts).routes()),
                List.of(new RuleLists(alerts).reload()),
                new BacktestService(alerts, config, Daemon::epochNanos).routes(),
                PrometheusRoutes.of(store, memory, config, BuildVersion.value()),
                new SavedQueryService(store, Daemon::epochNanos).routes(),
                config.security().page() ? PageService.routes() : List.<HttpRoute>of(),
                SelfService.routes(BuildVersion.value(), Daemon::epochNanos),
                new SnapshotService(store, snapshots).routes(),
                others.backupService().routes(),
                others.coldService().routes(),
                clock.routes(),
                layout.routes(),
                new RetentionService(store, config.store().retentionGrace()).routes(),
                new RollupService(store).routes(),
                new TransformService(Daemon::epochNanos).routes(),
                new RepartitionService(store).routes(),
                new ReparseService(store).routes(),
                new DeletionService(
                        store, config.data(), snapshots, others.backups(), others::coldCopies)
                    .routes(),
                new DoctorService(doctor).routes(),
                alertService.routes(),
                status.routes())
            .flatMap(List::stream)
            .toList();
    return Stream.concat(
            IndexService.routes(routes, ElasticProtocol.banner(config.elasticsearchVersion()))
                .stream(),
            routes.stream())
        .toList();
  }

  private void maintain() {
    access.reload();
    if (tls != null && tls.reload()) {
      sockets.renewTls();
    }
    if (certificates != null) {
      certificates.look();
    }
    if (transforms != null) {
      transforms.reload();
    }
    store.maintain();
    lanes.tick(); // after maintain(): each lane does its share on its own thread
    diskState.look();
    damage.look();
    clock.tellChange();
    alerts.tick();
    layout.measure();
    if (types.isLookDue() && (store instanceof EmbeddedStore || store.cluster() != null)) {
      lookAtTypes();
    }
    others.look();
    doctor.look();
  }

  private void lookAtTypes() {
    try {
      types.look(store);
    } catch (StorageException away) {
      LOG.log(Level.WARNING, "the types of the store are not counted: {0}", away.getMessage());
    }
  }

  /// `http`, or `https` with a certificate.
  public String httpScheme() {
    return config.security().tlsCertificate() == null ? "http" : "https";
  }

  /// The address of HTTP, with the real port when 0 was configured.
  public InetSocketAddress httpAddress() {
    return http.address();
  }

  Lanes lanes() {
    return lanes;
  }

  /// The HTTP services, such as `GET /ready`, which takes HEAD as well.
  List<String> endpoints() {
    return http.endpoints();
  }

  /// Requests that are not answered yet.
  public long inFlight() {
    return intake.inFlight();
  }

  /// Bytes that requests in flight hold.
  long creditBytesUsed() {
    return intake.credit().bytesUsed();
  }

  /// Waits until it is asked to stop. When writing fails first, it continues to serve queries for
  /// 30 seconds, so that data can be inspected and load balancers see that it is not ready, and
  /// then returns. A supervisor can restart it, which gives it a chance to recover.
  ///
  /// @param failed gets the reason why writing has ended
  public void awaitStop(CountDownLatch stop, Consumer<String> failed) {
    try {
      while (!stop.await(FAILURE_SEEN_MILLIS, TimeUnit.MILLISECONDS)) {
        String failure = failure();
        if (failure != null) {
          failed.accept(failure);
          boolean _ = stop.await(config.limits().readOnSeconds(), TimeUnit.SECONDS);
          return;
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Where a protocol with sockets of its own listens, such as `syslog`; null when it is off.
  public @Nullable InetSocketAddress socketAddress(String protocol) {
    return sockets.address(protocol);
  }

  /// The receivers of all protocols with sockets of their own that are on.
  public List<SocketReceiver> receivers() {
    return sockets.receivers();
  }

  /// Why nothing can be written any more; null while writing works.
  public @Nullable String failure() {
    return lanes.failure();
  }

  private static long epochNanos() {
    Instant now = Instant.now();
    return TimeParser.ofUnit(now.getEpochSecond(), TimeParser.NANOS_PER_SECOND) + now.getNano();
  }

  /// Refuses new requests, answers those in flight, lets the lanes finish, and ends all threads.
  /// The store may be closed afterwards.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    intake.drain();
    lanes.endWaiting(); // events kept here are applied after the next start
    maintenance.stop();
    alerts.stop();
    others.stop();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(config.drainSeconds());
    while (intake.inFlight() > 0 && System.nanoTime() < until) {
      LockSupport.parkNanos(1_000_000);
    }
    sockets.stop();
    queries.stop();
    loki.stop();
    http.stop();
    evaluation.close();
    lanes.close();
    others.endObjects(); // everything acknowledged is in the journals now
    sockets.close();
    http.close();
    registry.close();
  }
}
