package io.widerow.ingest.alert;

import io.widerow.event.AttributeName;
import io.widerow.event.SavedText;
import io.widerow.ingest.lane.Lanes;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.result.FieldCheck;
import io.widerow.storage.Filters;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.SavedControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Evaluates all groups of rules: those of files, and the rules that the store keeps, each of which
/// is a group of its own.
///
/// ```
///   read a view -> rules of the group in order -> one batch, durable -> state -> Alertmanagers
///        ^                                                                |
///        +------------------------- the next time of the group -----------+
/// ```
///
/// A state counts once its evaluation is stored. After a start a group takes its newest stored
/// state and continues with the evaluation after it, at most [#BACK_MILLIS] ago.
///
/// - Threads: any; one evaluates at a time.
public final class AlertEngine {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long BACK_MILLIS = 3_600_000;
  private static final long STALE_MILLIS = 60_000; // and two intervals
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final RuleReader reader;
  private final RuleStore results;
  private final @Nullable RuleDirectory directory;
  private final Alertmanagers alertmanagers;
  private final Notices notices;
  private final Settings settings;
  private final LongSupplier epochNanos;
  private final Executor executor;
  private final long startedMillis;
  private final Map<String, Standing> standings = new TreeMap<>(); // by key; guarded by itself
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile boolean stopping;

  /// How rules are evaluated.
  ///
  /// @param resendMillis after which a firing alert is sent again
  /// @param settleMillis after a start without evaluations: senders first repeat what they could
  ///   not deliver
  /// @param lateMillis how far back evaluations are made again for events that arrive after them; 0
  ///   for not
  /// @param externalUrl of this daemon, for people; empty for none
  /// @param externalLabels added to each notification
  public record Settings(
      long resendMillis,
      long settleMillis,
      long lateMillis,
      String externalUrl,
      SortedMap<String, String> externalLabels) {
    GroupEvaluation.External external() {
      return new GroupEvaluation.External(externalUrl, externalLabels);
    }
  }

  /// A rule that the store keeps, and its state.
  public record Ruled(AlertRule rule, AlertState state) {}

  /// A group and what is known of it. Its fields are guarded by [#standings], except on the thread
  /// that evaluates.
  static final class Standing {
    RuleGroup group;
    GroupState state;
    private boolean restored;
    private boolean isLeased;
    private long askedMillis; // when for the lease; 0 before
    long evaluatedMillis; // wall clock; 0 before
    double seconds;
    @Nullable String failure; // why the last evaluation is not stored

    Standing(RuleGroup group) {
      this.group = group;
      this.state = GroupState.of(group);
    }
  }

  /// @param directory null for none
  /// @param executor evaluates; one task at a time
  AlertEngine(
      RuleReader reader,
      RuleStore results,
      @Nullable RuleDirectory directory,
      Alertmanagers alertmanagers,
      Settings settings,
      LongSupplier epochNanos,
      Executor executor) {
    this.reader = reader;
    this.results = results;
    this.directory = directory;
    this.alertmanagers = alertmanagers;
    this.notices = new Notices(alertmanagers, settings);
    this.settings = settings;
    this.epochNanos = epochNanos;
    this.executor = executor;
    this.startedMillis = nowMillis();
    if (keepsRules()) {
      control().all().forEach(this::add);
    }
    boolean _ = reload(false);
  }

  /// The engine of a store.
  ///
  /// @param reader of the store
  /// @param memory that all queries share
  /// @param lanes take the results
  /// @param eventBytesMax largest event
  /// @param directory of rule files; null for none
  /// @param executor evaluates; one task at a time
  public static AlertEngine of(
      RuleReader reader,
      QueryMemory memory,
      Lanes lanes,
      int eventBytesMax,
      @Nullable RuleDirectory directory,
      Alertmanagers alertmanagers,
      Settings settings,
      LongSupplier epochNanos,
      Executor executor) {
    RuleStore results = new RuleStore(reader.store(), memory, lanes, epochNanos, eventBytesMax);
    return new AlertEngine(
        reader, results, directory, alertmanagers, settings, epochNanos, executor);
  }

  private long nowMillis() {
    return epochNanos.getAsLong() / NANOS_PER_MILLISECOND;
  }

  /// A rule that this version cannot read is kept and logged.
  private void add(SavedText saved) {
    try {
      RuleGroup group = AlertRule.of(saved, epochNanos.getAsLong()).group();
      standings.put(group.key(), new Standing(group));
    } catch (QueryException | IllegalArgumentException wrong) {
      LOG.log(
          Level.WARNING,
          "the alert rule {0} is not evaluated: {1}",
          new Object[] {saved.name(), wrong.getMessage()});
    }
  }

  /// False for a store on a cluster, which keeps no rules: there are those of files.
  public boolean keepsRules() {
    return reader.store() instanceof EmbeddedStore;
  }

  private SavedControl control() {
    if (reader.store() instanceof EmbeddedStore embedded) {
      return embedded.saved(SavedControl.Kind.RULES);
    }
    throw new IllegalStateException("no store on this machine");
  }

  /// Sets a rule, in place of the one of its name. Durable on return; it is evaluated soon.
  ///
  /// @throws StorageException when it cannot be written down
  public void set(AlertRule rule) {
    RuleGroup group = rule.group();
    synchronized (standings) {
      control().set(rule.saved());
      Standing fresh = new Standing(group);
      fresh.restored = true; // another rule, which begins
      standings.put(group.key(), fresh);
    }
    tick();
  }

  /// Removes a rule. Durable on return.
  ///
  /// @throws IllegalArgumentException when there is none of this name
  public void unset(String name) {
    synchronized (standings) {
      control().unset(name);
      standings.remove(AlertRule.FILE + ";" + name);
    }
  }

  /// All rules that the store keeps, in the order of names.
  public List<Ruled> ofStore() {
    List<Ruled> all = new ArrayList<>();
    long now = nowMillis();
    synchronized (standings) {
      for (Standing each : standings.values()) {
        if (each.group.rules().size() == 1
            && each.group.rules().getFirst().expr() instanceof RuleExpr.Aggregate(var rule)) {
          all.add(new Ruled(rule, state(each, 0, now)));
        }
      }
    }
    return all;
  }

  /// The state of a rule; unknown when it is too old.
  static AlertState state(Standing standing, int rule, long nowMillis) {
    GroupState state = standing.state;
    String failure = standing.failure;
    GroupState.OfRule of = state.rules().get(rule);
    boolean unseen =
        of.shown() == null
            && of.error() == null
            && standing.group.rules().get(rule).expr() instanceof RuleExpr.Aggregate;
    if (state.at() == GroupState.NEVER || unseen) {
      return failure == null ? AlertState.NEW : AlertState.unknown(failure);
    }
    RuleGroup group = standing.group;
    long late = group.last(nowMillis - group.lagMillis()) - state.at();
    if (Math.abs(late) > 2 * group.intervalMillis() + STALE_MILLIS) {
      String why = "it was not evaluated for %d s".formatted(Math.abs(late) / 1_000);
      return AlertState.unknown(failure == null ? why : why + ": " + failure);
    }
    return AlertState.of(of, state.at() - group.intervalMillis());
  }

  /// Looks at all groups.
  void forEach(Consumer<Standing> look) {
    synchronized (standings) {
      standings.values().forEach(look);
    }
  }

  /// The states of all alert rules by name; of several of one name the worst.
  public Map<String, AlertState> states() {
    Map<String, AlertState> states = new TreeMap<>();
    long now = nowMillis();
    forEach(standing -> {
      for (int i = 0; i < standing.group.rules().size(); i++) {
        if (standing.group.rules().get(i).isAlert()) {
          String name = standing.group.rules().get(i).name();
          states.merge(
              name,
              state(standing, i, now),
              (one, other) -> one.kind().compareTo(other.kind()) < 0 ? other : one);
        }
      }
    });
    return states;
  }

  /// The line of a rule that the store keeps.
  public List<String> lines(AlertRule rule) {
    RuleGroup group = rule.group();
    return List.of(new AlertLine(group, group.rules().getFirst(), rule, AlertState.NEW).json());
  }

  /// The addresses of the Alertmanagers, without secrets; empty without one.
  public List<String> alertmanagers() {
    return alertmanagers.urls();
  }

  /// Requests that an Alertmanager took.
  public long sent() {
    return alertmanagers.sent();
  }

  /// Requests that no Alertmanager took, and that were or will be repeated.
  public long notSent() {
    return alertmanagers.failed();
  }

  /// Alerts that fired and ended while no Alertmanager answered.
  public List<String> undelivered() {
    return alertmanagers.undelivered().stream()
        .map(each -> each.labels().map().toString())
        .toList();
  }

  /// The warnings about fields that a rule names and no event in the store has.
  public List<String> warnings(AlertRule rule) {
    RangeQuery query = rule.question().query();
    Set<AttributeName> names = new LinkedHashSet<>(Filters.named(query.filter()));
    names.addAll(FieldCheck.named(rule.question().figures()));
    try (StoreView view = reader.store().view()) {
      return FieldCheck.of(view, query, names);
    }
  }

  /// Reads rule files that have changed.
  ///
  /// @param all whether those that have not are read too
  /// @return true when all can be used
  public boolean reload(boolean all) {
    RuleDirectory files = directory;
    if (files == null) {
      return true;
    }
    synchronized (files) {
      if (files.reload(all)) {
        take(files.groups());
      }
      return files.problems().isEmpty();
    }
  }

  private void take(List<RuleGroup> groups) {
    synchronized (standings) {
      Set<String> keys = new HashSet<>();
      for (RuleGroup group : groups) {
        keys.add(group.key());
        Standing old = standings.get(group.key());
        if (old == null) {
          standings.put(group.key(), new Standing(group));
        } else if (!old.group.hash().equals(group.hash())) {
          Standing next = new Standing(group);
          next.state = old.state.forGroup(old.group, group);
          next.restored = old.restored && next.state.at() != GroupState.NEVER;
          next.evaluatedMillis = old.evaluatedMillis;
          next.seconds = old.seconds;
          standings.put(group.key(), next);
        }
      }
      standings
          .values()
          .removeIf(each ->
              !each.group.file().equals(AlertRule.FILE) && !keys.contains(each.group.key()));
    }
  }

  /// Why rule files are not in force as they are; empty when all are.
  public List<String> problems() {
    RuleDirectory files = directory;
    return files == null ? List.of() : files.problems();
  }

  /// Has groups evaluated that are due. Called about once a second.
  public void tick() {
    boolean _ = reload(false);
    if (!due().isEmpty() && running.compareAndSet(false, true)) {
      try {
        executor.execute(() -> {
          try {
            evaluateDue();
          } finally {
            running.set(false);
          }
        });
      } catch (RejectedExecutionException stopped) {
        running.set(false);
      }
    }
  }

  /// Begins no further evaluation; a running one ends by itself.
  public void stop() {
    stopping = true;
    alertmanagers.close();
  }

  private void evaluateDue() {
    Set<Standing> failed = new HashSet<>();
    for (List<Standing> due = due(); !due.isEmpty() && !stopping; due = due()) {
      due.removeAll(failed);
      if (due.isEmpty()) {
        return;
      }
      for (Standing standing : due) {
        if (!stopping && !evaluate(standing)) {
          failed.add(standing); // at the next tick
        }
      }
    }
  }

  private List<Standing> due() {
    long now = nowMillis();
    List<Standing> due = new ArrayList<>();
    synchronized (standings) {
      for (Standing each : standings.values()) {
        boolean settled =
            (each.group.file().equals(AlertRule.FILE) && each.state.at() == GroupState.NEVER)
                || now - startedMillis >= settings.settleMillis
                || now < startedMillis;
        if (!each.restored || (settled && next(each, now) <= now - each.group.lagMillis())) {
          due.add(each);
        }
      }
    }
    return due;
  }

  /// The time of the next evaluation.
  private static long next(Standing standing, long nowMillis) {
    RuleGroup group = standing.group;
    long last = group.last(nowMillis - group.lagMillis());
    long at = standing.state.at();
    if (at == GroupState.NEVER || at > last + group.intervalMillis() + STALE_MILLIS) {
      boolean ofStore = group.file().equals(AlertRule.FILE); // its steps before it was set count
      return ofStore ? last - group.rules().getFirst().forMillis() : last;
    }
    return Math.max(at + group.intervalMillis(), group.last(last - BACK_MILLIS));
  }

  /// Evaluates a group once.
  ///
  /// @return false when it is to be tried again later
  private boolean evaluate(Standing standing) {
    RuleGroup group = standing.group;
    RuleStore store = results;
    try {
      if (!hasLease(standing)) {
        return false;
      }
      if (!standing.restored) {
        restore(store, standing);
        return true;
      }
      long at = next(standing, nowMillis());
      long start = System.nanoTime();
      List<GroupEvaluation.Outcome> outcomes;
      try (RuleReader.Pass pass = reader.open()) {
        outcomes = outcomes(store, pass, group, notices.withoutDelivered(standing.state, at), at);
      }
      GroupEvaluation.Outcome outcome = outcomes.getLast();
      if (store.write(group, outcomes) == RuleStore.Written.REPEATED) {
        GroupState stored = store.restore(group, at);
        outcome = stored == null ? outcome : outcome.with(stored);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      note(standing, outcome, seconds);
      notices.send(group, outcome.after(), nowMillis());
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } catch (RuleStore.NotStored | StorageException | QueryException failed) {
      synchronized (standings) {
        String why = String.valueOf(failed.getMessage());
        if (!why.equals(standing.failure)) {
          LOG.log(
              Level.WARNING,
              "the rule group {0} is not evaluated: {1}",
              new Object[] {group.key(), why});
        }
        standing.failure = why;
      }
      return false;
    }
  }

  /// Of the daemons on a cluster one evaluates a group. The others show its stored state.
  private boolean hasLease(Standing standing) {
    long now = nowMillis();
    if (Math.abs(now - standing.askedMillis) < LEASE.toMillis() / 3) {
      return standing.isLeased;
    }
    RuleGroup group = standing.group;
    boolean isLeased = reader.store().lease("rules " + group.key(), LEASE);
    GroupState stored = isLeased ? null : results.restore(group, now + group.intervalMillis());
    synchronized (standings) {
      standing.isLeased = isLeased;
      standing.askedMillis = now;
      standing.restored &= isLeased;
      standing.failure = isLeased ? standing.failure : null;
      if (stored != null) {
        standing.state = stored;
        standing.evaluatedMillis = stored.at();
      }
    }
    return isLeased;
  }

  /// The evaluations that are made at a time: those for which events were late, and the new one.
  private List<GroupEvaluation.Outcome> outcomes(
      RuleStore store, RuleReader.Pass pass, RuleGroup group, GroupState before, long at) {
    GroupEvaluation.External external = settings.external();
    LateEvaluations late =
        settings.lateMillis == 0
            ? null
            : LateEvaluations.run(store, pass, group, before, at - settings.lateMillis, external);
    GroupEvaluation.Outcome outcome =
        GroupEvaluation.run(
            group,
            late == null ? before : late.state(),
            at,
            pass.view().arrivals().toString(),
            pass,
            late == null ? new RecordedSamples() : late.recorded(),
            external);
    return late == null ? List.of(outcome) : late.with(outcome, nowMillis());
  }

  /// Takes the newest stored state, whose alerts are sent at once.
  private void restore(RuleStore store, Standing standing) {
    RuleGroup group = standing.group;
    long now = nowMillis();
    GroupState stored = store.restore(group, now + group.intervalMillis());
    synchronized (standings) {
      standing.restored = true;
      standing.state = stored == null ? standing.state : stored;
    }
    if (stored != null) {
      notices.send(group, stored, now);
    }
  }

  private void note(Standing standing, GroupEvaluation.Outcome outcome, double seconds) {
    List<String> lines = new ArrayList<>();
    RuleGroup group = standing.group;
    for (AlertSteps.Transition change : outcome.transitions()) {
      lines.add(
          "the alert %s of %s is %s: %s, %s"
              .formatted(
                  change.alert(),
                  group.key(),
                  change.to().text(),
                  change.labels().map(),
                  GoNumber.json(change.value())));
    }
    for (int i = 0; i < group.rules().size(); i++) {
      String before = standing.state.rules().get(i).error();
      String after = outcome.after().rules().get(i).error();
      if (after != null && !after.equals(before)) {
        lines.add(
            "the rule %s of %s fails: %s"
                .formatted(group.rules().get(i).name(), group.key(), after));
      }
    }
    synchronized (standings) {
      standing.state = outcome.after();
      standing.evaluatedMillis = nowMillis();
      standing.seconds = seconds;
      standing.failure = null;
    }
    lines.forEach(line -> LOG.log(Level.WARNING, "{0}", line));
  }

  /// Hands over the stored changes of alerts, a line each, in the order of time.
  ///
  /// @param fromMillis first time
  /// @param untilMillis last time
  public void history(long fromMillis, long untilMillis, Consumer<String> line) {
    results.history(fromMillis, untilMillis, line);
  }

  /// Hands over the changes of alerts that a rule file would have led to.
  ///
  /// @param asSeen whether the evaluations that were made are made again, each over what had
  ///   arrived
  /// @throws RuleMistake when the file cannot be used
  /// @throws PromqlException when an expression cannot be evaluated
  public void backtest(
      RuleFile file, long fromMillis, long untilMillis, boolean asSeen, Consumer<String> line) {
    if (asSeen) {
      Backtest.runAsSeen(reader, results, file, fromMillis, untilMillis, settings.external(), line);
    } else {
      Backtest.run(reader, file, fromMillis, untilMillis, settings.external(), line);
    }
  }
}
