package io.widerow.ingest.alert;

import io.widerow.event.AttributeName;
import io.widerow.event.SavedText;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.result.FieldCheck;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filters;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.SavedControl;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The alert rules of a store on this machine, with their states. A rule is evaluated once for each
/// step, when the step has ended; rules that are due are evaluated one after the other.
///
/// - Threads: any; one evaluates at a time.
public final class AlertScheduler {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// An evaluation that is so many steps late makes a rule unknown.
  private static final int STALE_STEPS = 2;

  private static final long STALE_NANOS = 60_000_000_000L; // and this

  private final EventStore store;
  private final QueryMemory memory;
  private final LongSupplier epochNanos;
  private final Executor executor;
  private final Map<String, Standing> standings = new TreeMap<>(); // guarded by itself
  private volatile boolean stopping;
  private final AtomicBoolean running = new AtomicBoolean();

  /// A rule and its state.
  public record Ruled(AlertRule rule, AlertState state) {}

  private static final class Standing {
    private final AlertRule rule;
    private AlertState state = AlertState.NEW;
    private long passedNanos = Long.MIN_VALUE; // end of the last step that was evaluated

    Standing(AlertRule rule) {
      this.rule = rule;
    }
  }

  /// @param memory that all queries share
  /// @param executor evaluates; one task at a time
  public AlertScheduler(
      EventStore store, QueryMemory memory, LongSupplier epochNanos, Executor executor) {
    this.store = store;
    this.memory = memory;
    this.epochNanos = epochNanos;
    this.executor = executor;
    if (isThere()) {
      control().all().forEach(this::add);
    }
  }

  /// A rule that this version cannot read is kept and logged.
  private void add(SavedText saved) {
    try {
      standings.put(saved.name(), new Standing(AlertRule.of(saved, epochNanos.getAsLong())));
    } catch (QueryException | IllegalArgumentException wrong) {
      LOG.log(
          Level.WARNING,
          "the alert rule {0} is not evaluated: {1}",
          new Object[] {saved.name(), wrong.getMessage()});
    }
  }

  /// False for a store on a cluster, which keeps no alert rules.
  public boolean isThere() {
    return store instanceof EmbeddedStore;
  }

  private SavedControl control() {
    if (store instanceof EmbeddedStore embedded) {
      return embedded.saved(SavedControl.Kind.RULES);
    }
    throw new IllegalStateException("no store on this machine");
  }

  /// Sets a rule, in place of the one of its name. Durable on return; it is evaluated soon.
  ///
  /// @throws StorageException when it cannot be written down
  public void set(AlertRule rule) {
    synchronized (standings) {
      control().set(rule.saved());
      standings.put(rule.name(), new Standing(rule));
    }
    tick();
  }

  /// Removes a rule. Durable on return.
  ///
  /// @throws IllegalArgumentException when there is none of this name
  public void unset(String name) {
    synchronized (standings) {
      control().unset(name);
      standings.remove(name);
    }
  }

  /// All rules, in the order of names.
  public List<Ruled> all() {
    long now = epochNanos.getAsLong();
    synchronized (standings) {
      return standings.values().stream()
          .map(standing -> new Ruled(standing.rule, fresh(standing, now)))
          .toList();
    }
  }

  /// The state of a standing; unknown when it is too old.
  private static AlertState fresh(Standing standing, long nowNanos) {
    if (standing.passedNanos == Long.MIN_VALUE) {
      return standing.state;
    }
    long late = Evaluation.passed(standing.rule, nowNanos) - standing.passedNanos;
    long every = standing.rule.question().figures().everyNanos();
    return Math.abs(late) > STALE_STEPS * every + STALE_NANOS
        ? AlertState.unknown(
            "it was not evaluated for %d s".formatted(Math.abs(late) / 1_000_000_000))
        : standing.state;
  }

  /// Has rules evaluated of which a step has passed. Called about once a second.
  public void tick() {
    if (!due().isEmpty() && running.compareAndSet(false, true)) {
      try {
        executor.execute(() -> {
          try {
            for (Standing standing : due()) {
              if (!stopping) {
                evaluate(standing);
              }
            }
          } finally {
            running.set(false);
          }
        });
      } catch (RejectedExecutionException stopping) {
        running.set(false);
      }
    }
  }

  /// Begins no further evaluation; a running one ends by itself.
  public void stop() {
    stopping = true;
  }

  private List<Standing> due() {
    long now = epochNanos.getAsLong();
    List<Standing> due = new ArrayList<>();
    synchronized (standings) {
      for (Standing standing : standings.values()) {
        if (Evaluation.passed(standing.rule, now) != standing.passedNanos) {
          due.add(standing);
        }
      }
    }
    return due;
  }

  /// The warnings about fields that a rule names and no event in the store has.
  public List<String> warnings(AlertRule rule) {
    RangeQuery query = rule.question().query();
    Set<AttributeName> names = new LinkedHashSet<>(Filters.named(query.filter()));
    names.addAll(FieldCheck.named(rule.question().figures()));
    try (StoreView view = store.view()) {
      return FieldCheck.of(view, query, names);
    }
  }

  private void evaluate(Standing standing) {
    long passed = Evaluation.passed(standing.rule, epochNanos.getAsLong());
    AlertState state = AlertState.unknown("its evaluation failed, see the log");
    try (StoreView view = store.view()) {
      state = Evaluation.of(standing.rule, view, passed, memory);
    } catch (StorageException away) {
      state = AlertState.unknown(String.valueOf(away.getMessage()));
    } finally {
      note(standing, passed, state);
    }
  }

  private void note(Standing standing, long passedNanos, AlertState state) {
    AlertState.Kind before;
    synchronized (standings) {
      before = standing.state.kind();
      standing.state = state;
      standing.passedNanos = passedNanos;
    }
    if (state.kind() != before) {
      LOG.log(
          state.kind() == AlertState.Kind.QUIET ? Level.INFO : Level.WARNING,
          "the alert rule {0} is {1}{2}",
          new Object[] {standing.rule.name(), state.kind().text, why(state)});
    }
  }

  private static String why(AlertState state) {
    @Nullable String why = state.why();
    if (why != null) {
      return ": " + why;
    }
    return state.value() == null ? "" : ": " + state.value().text();
  }
}
