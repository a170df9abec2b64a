package io.widerow.ingest.doctor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.event.PartitionWeights;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.TypeBudget;
import io.widerow.query.PartitionSpans;
import io.widerow.query.TypeGlobs;
import io.widerow.query.sizing.Load;
import io.widerow.query.sizing.TypePlan;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.EventStore;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.RollupControl;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Checks the daemon and its store every few seconds, and reports findings for the operator.
///
/// A look at the partitions of a large store takes a while, so that there is none before a hundred
/// times the last one's duration has passed: looking takes a hundredth of one core at most. The
/// partitions of a store on a cluster are not looked at; its nodes would have to be asked.
///
/// - Threads: one looks; any thread reads.
public final class Doctor {
  private static final long LOOK_NANOS = 4_000_000_000L;
  private static final int SPARE = 100; // of the time that a look takes
  private static final int PARTITIONS_MAX = 100_000; // looked at: of a store of more, the newest
  private static final long OVERFLOW_SECONDS = 3_600;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final EventStore store;
  private final Intake intake;
  private final TypeBudget types;
  private final MeterRegistry registry;
  private final Surroundings surroundings;
  private final TypeRates rates = new TypeRates();
  private double[] laneEvents = {};
  private double[] laneBatches = {};
  private long nextNanos; // when the next look is due
  private long backlogSinceNanos;
  private boolean looked;
  private boolean backlogged;
  private volatile List<Finding> rollups = List.of();
  private volatile Facts facts;

  /// The inputs of the doctor in addition to the store.
  ///
  /// @param nanoTime monotonic time
  /// @param epochNanos the time, nanoseconds since the Unix epoch
  /// @param usableBytes free bytes of the store's file system
  /// @param reserveBytes free bytes below which nothing is taken in
  /// @param weights the target size of a partition
  /// @param lateFromNanos the age at which an event is older than a bucket that is closed
  /// @param others findings about parts of the daemon that the doctor does not look at
  public record Surroundings(
      LongSupplier nanoTime,
      LongSupplier epochNanos,
      LongSupplier usableBytes,
      long reserveBytes,
      PartitionWeights weights,
      long lateFromNanos,
      Supplier<List<Finding>> others) {}

  public Doctor(
      EventStore store,
      Intake intake,
      TypeBudget types,
      MeterRegistry registry,
      Surroundings surroundings) {
    this.store = store;
    this.intake = intake;
    this.types = types;
    this.registry = registry;
    this.surroundings = surroundings;
    this.facts =
        new Facts(List.of(), List.of(), List.of(), Facts.Backlog.NONE, surroundings.lateFromNanos);
  }

  /// Looks, when it is time to. Called about once a second.
  public void look() {
    long now = surroundings.nanoTime.getAsLong();
    if (looked && now - nextNanos < 0) {
      return;
    }
    looked = true;
    nextNanos = now + LOOK_NANOS; // also when this look fails
    facts = new Facts(types(now), List.of(), lanes(), backlog(now), surroundings.lateFromNanos);
    rollups = rollups();
    long took = surroundings.nanoTime.getAsLong() - now;
    nextNanos = now + Math.max(LOOK_NANOS, SPARE * took);
  }

  private List<TypeState> types(long now) {
    if (!plans()) {
      return List.of();
    }
    try (StoreView view = store.view()) {
      List<PartitionInfo> partitions =
          PartitionSpans.newest(view, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, PARTITIONS_MAX);
      rates.look(partitions, now);
      StoreStatistics statistics = store.statistics();
      double recordBytes = recordBytes(statistics);
      double restBytes =
          statistics.segmentEvents() == 0
              ? recordBytes * Load.REST_SHARE
              : (double) statistics.segmentBytes() / statistics.segmentEvents();
      long epochNanos = surroundings.epochNanos.getAsLong();
      return TypePlan.of(
              partitions, view.types(TypeGlobs.ALL), restBytes, surroundings.weights, epochNanos)
          .stream()
          .map(plan -> state(plan, recordBytes))
          .toList();
    }
  }

  private TypeState state(TypePlan plan, double recordBytes) {
    String type = plan.type();
    double spread = store instanceof EmbeddedStore embedded ? embedded.layout().spread(type) : 1;
    return TypeState.of(plan, rates.of(type).orElse(0), recordBytes, spread);
  }

  private static double recordBytes(StoreStatistics statistics) {
    return (double) statistics.eventBytesCommitted() / Math.max(1, statistics.eventsCommitted());
  }

  private List<Facts.Lane> lanes() {
    int count = store.lanes();
    double[] events = new double[count];
    double[] batches = new double[count];
    List<Facts.Lane> lanes = new ArrayList<>();
    for (int lane = 0; lane < count; lane++) {
      events[lane] = counted("widerow.events.accepted", lane);
      batches[lane] = counted("widerow.batches", lane);
      if (laneEvents.length == count) {
        lanes.add(
            new Facts.Lane(events[lane] - laneEvents[lane], batches[lane] - laneBatches[lane]));
      }
    }
    laneEvents = events;
    laneBatches = batches;
    return lanes;
  }

  private double counted(String name, int lane) {
    Counter counter = registry.find(name).tag("lane", Integer.toString(lane)).counter();
    return counter == null ? 0 : counter.count();
  }

  /// Rollups that are not filled yet.
  private List<Finding> rollups() {
    List<Finding> findings = new ArrayList<>();
    if (store instanceof EmbeddedStore embedded) {
      for (RollupDefinition rollup : embedded.rollups().all()) {
        RollupControl.Standing standing = embedded.rollups().standing(rollup);
        int waiting = standing.without() - standing.cold();
        if (waiting > 0) {
          findings.add(
              new Finding(
                  "rollup-behind",
                  Finding.Severity.INFO,
                  rollup.name(),
                  (double) waiting,
                  0.0,
                  "%d of %d files have no cells of the rollup %s: their events are counted"
                      .formatted(waiting, standing.segments(), rollup.name()),
                  "wait: merging fills them, the newest first; damaged files need a repair"));
        }
      }
    }
    return findings;
  }

  private Facts.Backlog backlog(long now) {
    if (!(store instanceof EmbeddedStore embedded)) {
      return Facts.Backlog.NONE;
    }
    long bytes = embedded.retention().droppable().bytes();
    if (bytes == 0) {
      backlogged = false;
      return Facts.Backlog.NONE;
    }
    if (!backlogged) {
      backlogged = true;
      backlogSinceNanos = now;
    }
    return new Facts.Backlog(
        bytes, store.statistics().segmentBytes(), (now - backlogSinceNanos) / NANOS_PER_SECOND);
  }

  /// The versions that the store records; null for a store on a cluster.
  public @Nullable StoreVersions versions() {
    return store.versions();
  }

  /// The findings, the worst first: of the last check, of the current conditions, and of the
  /// senders.
  public List<Finding> findings() {
    Conditions now =
        new Conditions(
            intake.lanes().failure(),
            intake.full(),
            surroundings.usableBytes.getAsLong(),
            surroundings.reserveBytes,
            store.clock(),
            store.statistics(),
            store.cluster(),
            surroundings.epochNanos.getAsLong() / NANOS_PER_MILLI);
    Facts all = facts.with(intake.senders().lags());
    return Stream.of(
            now.findings(), Diagnosis.of(all), overflow(), rollups, surroundings.others.get())
        .flatMap(List::stream)
        .sorted(Finding.WORST_FIRST)
        .toList();
  }

  /// Events of the last hour whose types are beyond the limits of types.
  private List<Finding> overflow() {
    TypeBudget.Spent spent = types.last();
    long nowSeconds = surroundings.epochNanos.getAsLong() / NANOS_PER_MILLI / 1_000;
    if (spent == null || spent.epochSeconds() < nowSeconds - OVERFLOW_SECONDS) {
      return List.of();
    }
    List<String> senders = intake.senders().overflowedSince(nowSeconds - OVERFLOW_SECONDS);
    return List.of(Diagnosis.overflow(spent, senders, types.moved()));
  }

  /// True when the store's partitions are looked at: those of a store on this machine.
  public boolean plans() {
    return store instanceof EmbeddedStore;
  }

  /// The types at the last look; none for a store on a cluster.
  public List<TypeState> types() {
    return facts.types();
  }
}
