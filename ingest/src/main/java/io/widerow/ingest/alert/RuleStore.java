package io.widerow.ingest.alert;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Text;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.SampleEvents;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.Lanes;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.TypeGlobs;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.promql.run.StoreSamples;
import io.widerow.query.series.Labels;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Evaluations in the store: each is one batch with a key. A kill leaves all or nothing of it, and
/// a repeat is stored once.
///
/// ```
///   TYPE OF THE METRIC   labels, value                  recorded samples, ALERTS, ALERTS_FOR_STATE
///   TYPE OF THE METRIC   labels, stale = true           a series has ended
///   widerow.rules        group, file, hash, arrived, part, parts, transitions, state
/// ```
///
/// The last event is the state after the evaluation; a large one takes several parts. An evaluation
/// that is made again for late events is another batch of the same time: its samples and its state
/// count instead of the former ones, because they arrived later.
///
/// - Threads: one at a time.
final class RuleStore {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// The type of the events with states and changes.
  static final String TYPE = "widerow.rules";

  private static final AttributeName GROUP = AttributeName.of("group");
  private static final AttributeName HASH = AttributeName.of("hash");
  private static final AttributeName ARRIVED = AttributeName.of("arrived");
  private static final AttributeName STATE = AttributeName.of("state");
  private static final AttributeName TRANSITIONS = AttributeName.of("transitions");

  private static final long NANOS_PER_MILLISECOND = 1_000_000;
  private static final long DAY_MILLIS = 86_400_000;
  private static final long WRITE_SECONDS = 60;

  private final EventStore store;
  private final QueryMemory memory;
  private final Lanes lanes;
  private final LongSupplier epochNanos;
  private final int partChars;
  private final SampleEvents samples = new SampleEvents();

  /// @param eventBytesMax largest event
  RuleStore(
      EventStore store,
      QueryMemory memory,
      Lanes lanes,
      LongSupplier epochNanos,
      int eventBytesMax) {
    this.store = store;
    this.memory = memory;
    this.lanes = lanes;
    this.epochNanos = epochNanos;
    this.partChars = eventBytesMax / 4; // of two lists, with characters of several bytes
  }

  /// What a write has led to.
  enum Written {
    STORED,
    /// The evaluation was stored before, perhaps with another result.
    REPEATED
  }

  /// The evaluation was not stored, as far as is known; it is made again.
  static final class NotStored extends Exception {
    private static final long serialVersionUID = 1L;

    NotStored(String why) {
      super(why, null, false, false);
    }
  }

  /// Stores an evaluation, and those before it that were made again. Durable on return.
  ///
  /// @param outcomes in the order of time
  Written write(RuleGroup group, List<GroupEvaluation.Outcome> outcomes)
      throws NotStored, InterruptedException {
    long at = outcomes.getLast().after().at();
    IncomingBatch batch = lanes.begin(epochNanos.getAsLong());
    boolean _ = batch.takeRules(); // transforms are for the events of senders
    for (GroupEvaluation.Outcome outcome : outcomes) {
      outcome.written().forEach((labels, value) -> sample(batch, labels, outcome.millis(), value));
      state(batch, group, outcome);
    }
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    String name = "rules/%s/%d".formatted(group.key(), at);
    Durability level = store.cluster() == null ? Durability.DISK : Durability.QUORUM;
    lanes.write(batch, BatchKey.ofName(TYPE, "rules", name), level, told -> done.complete(told));
    try {
      return switch (done.get(WRITE_SECONDS, TimeUnit.SECONDS)) {
        case BatchOutcome.Stored stored -> {
          logRefused(group, stored.refused());
          yield stored.repeated() ? Written.REPEATED : Written.STORED;
        }
        case BatchOutcome.Overloaded() -> throw new NotStored("the daemon is overloaded");
        case BatchOutcome.DiskFull(String why) -> throw new NotStored(why);
        case BatchOutcome.Failed(String why) -> throw new NotStored(why);
      };
    } catch (TimeoutException late) {
      throw new NotStored("no outcome in %d s".formatted(WRITE_SECONDS));
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /// A sample that no store takes must not keep the group from paging.
  private static void logRefused(RuleGroup group, Refusals refused) {
    if (refused.count() > 0) {
      LOG.log(
          Level.WARNING,
          "{0} samples of the rule group {1} are not stored: {2}",
          new Object[] {refused.count(), group.key(), refused.reason(0)});
    }
  }

  private void sample(IncomingBatch batch, Labels labels, long millis, double value) {
    Map<String, String> others = labels.map();
    String metric = others.remove(Labels.NAME);
    String type = metric == null ? "" : metric;
    if (GroupEvaluation.isMarker(value)) {
      samples.marker(batch, type, others, millis);
    } else {
      samples.sample(batch, type, others, millis, value);
    }
  }

  private void state(IncomingBatch batch, RuleGroup group, GroupEvaluation.Outcome outcome) {
    List<String> changes = arrays(outcome.transitions().stream().map(AlertJson::line).toList());
    List<AlertJson.Kept> kept = new ArrayList<>(alerts(group, outcome.after()));
    for (int i = 0; i < group.rules().size(); i++) {
      String name = group.rules().get(i).name();
      for (LateAlert late : outcome.after().rules().get(i).late()) {
        kept.add(new AlertJson.Kept(i, name, late.alert(), late.since(), late.delivered()));
      }
    }
    List<String> states = arrays(kept.stream().map(AlertJson::kept).toList());
    int parts = Math.max(changes.size(), states.size());
    for (int part = 0; part < parts; part++) {
      samples.begin();
      samples.put("group", group.key());
      samples.put("file", group.file());
      samples.put("hash", group.hash());
      samples.put("arrived", outcome.after().arrived());
      samples.put("part", part);
      samples.put("parts", parts);
      samples.put("transitions", part < changes.size() ? changes.get(part) : "[]");
      samples.put("state", part < states.size() ? states.get(part) : "[]");
      samples.end(batch, TYPE, outcome.after().at());
    }
  }

  /// The alerts of a state, without those that were found late.
  static List<AlertJson.Kept> alerts(RuleGroup group, GroupState state) {
    List<AlertJson.Kept> alerts = new ArrayList<>();
    for (int i = 0; i < group.rules().size(); i++) {
      for (ActiveAlert alert : state.rules().get(i).alerts().values()) {
        alerts.add(new AlertJson.Kept(i, group.rules().get(i).name(), alert));
      }
    }
    return alerts;
  }

  /// One array or more, each as long as an event may have it.
  private List<String> arrays(List<String> items) {
    List<String> arrays = new ArrayList<>();
    StringBuilder array = new StringBuilder("[");
    for (String item : items) {
      if (array.length() > 1 && array.length() + item.length() > partChars) {
        arrays.add(array.append(']').toString());
        array = new StringBuilder("[");
      }
      array.append(array.length() > 1 ? "," : "").append(item);
    }
    arrays.add(array.append(']').toString());
    return arrays;
  }

  /// The state after the newest evaluation of a group that is stored; null when there is none.
  ///
  /// @param untilMillis time of an evaluation that is not looked at any more
  @Nullable GroupState restore(RuleGroup group, long untilMillis) {
    try (StoreView view = store.view()) {
      return restore(view, group, untilMillis);
    }
  }

  /// The same in a view.
  @Nullable GroupState restore(StoreView view, RuleGroup group, long untilMillis) {
    List<Stored> newest = new ArrayList<>();
    RangeQuery query = ofGroup(group, untilMillis - DAY_MILLIS, untilMillis).withDescending(true);
    read(
        view,
        query,
        ofTime -> {
          newest.addAll(ofTime);
          return false;
        });
    return newest.isEmpty() ? null : state(view, group, newest.getFirst());
  }

  /// The evaluations of a group that are stored, in the order of time.
  ///
  /// @param fromMillis first time
  /// @param untilMillis last time
  List<Stored> evaluations(StoreView view, RuleGroup group, long fromMillis, long untilMillis) {
    List<Stored> all = new ArrayList<>();
    read(view, ofGroup(group, fromMillis, untilMillis), all::addAll);
    return all;
  }

  private GroupState state(StoreView view, RuleGroup group, Stored stored) {
    List<AlertJson.Kept> kept = stored.kept();
    Map<Integer, Integer> places = places(group, kept);
    List<SortedMap<Labels, ActiveAlert>> alerts = new ArrayList<>();
    List<List<LateAlert>> late = new ArrayList<>();
    group
        .rules()
        .forEach(_ -> {
          alerts.add(new TreeMap<>());
          late.add(new ArrayList<>());
        });
    for (AlertJson.Kept each : kept) {
      Integer place = places.get(each.rule());
      if (place != null && each.since() > 0) {
        late.get(place).add(new LateAlert(each.alert(), each.since(), each.delivered()));
      } else if (place != null) {
        alerts.get(place).put(each.alert().labels(), each.alert());
      }
    }
    List<GroupState.OfRule> rules = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < group.rules().size(); i++) {
      Rule rule = group.rules().get(i);
      Set<Labels> series = new TreeSet<>();
      if (rule.isAlert()) {
        series.addAll(GroupEvaluation.samples(rule, alerts.get(i)).keySet());
      } else if (names.add(rule.name())) {
        series.addAll(recorded(view, rule.name(), stored.millis() - group.offsetMillis()));
      }
      rules.add(new GroupState.OfRule(alerts.get(i), series, null, 0, null, late.get(i)));
    }
    return new GroupState(stored.millis(), stored.arrived(), rules);
  }

  /// The place of each stored rule in a group that may have changed: the same one, or the first
  /// other alert rule of its name.
  private static Map<Integer, Integer> places(RuleGroup group, List<AlertJson.Kept> kept) {
    Map<Integer, Integer> places = new HashMap<>();
    for (AlertJson.Kept each : kept) {
      List<Rule> rules = group.rules();
      boolean same =
          each.rule() < rules.size() && rules.get(each.rule()).name().equals(each.name());
      if (same) {
        places.put(each.rule(), each.rule());
        continue;
      }
      for (int i = 0; i < rules.size(); i++) {
        if (rules.get(i).isAlert() && rules.get(i).name().equals(each.name())) {
          places.putIfAbsent(each.rule(), i);
        }
      }
    }
    return places;
  }

  private List<Labels> recorded(StoreView view, String name, long millis) {
    return samples(view, name, millis, millis).stream()
        .filter(each -> each.values().length > 0 && !isEnded(each))
        .map(SampleSource.Samples::labels)
        .toList();
  }

  /// The samples of a metric.
  ///
  /// @param fromMillis first time
  /// @param untilMillis last time
  List<SampleSource.Samples> samples(
      StoreView view, String metric, long fromMillis, long untilMillis) {
    try (QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      Matcher named = new Matcher(Labels.NAME, Matcher.Kind.EQUAL, metric, null);
      return new StoreSamples(execution, Set.of()).select(List.of(named), fromMillis, untilMillis);
    }
  }

  private static boolean isEnded(SampleSource.Samples samples) {
    return GroupEvaluation.isMarker(samples.values()[samples.values().length - 1]);
  }

  /// Hands over the stored changes of a range of time, in the order of time.
  void history(long fromMillis, long untilMillis, Consumer<String> line) {
    try (StoreView view = store.view()) {
      read(
          view,
          events(fromMillis, untilMillis),
          ofTime -> {
            ofTime.stream().flatMap(each -> each.lines().stream()).sorted().forEach(line);
            return true;
          });
    }
  }

  /// An evaluation that was made.
  ///
  /// @param group its key
  /// @param hash of the file of its group
  /// @param arrived the position in the order of arrival that it has read
  record Made(long millis, String group, String hash, String arrived) {}

  /// The evaluations that were made in a range of time, in its order. One that was made again
  /// counts instead of the former one.
  List<Made> made(long fromMillis, long untilMillis) {
    List<Made> made = new ArrayList<>();
    try (StoreView view = store.view()) {
      read(
          view,
          events(fromMillis, untilMillis),
          ofTime -> {
            for (Stored each : ofTime) {
              made.add(new Made(each.millis(), each.group(), each.hash(), each.arrived()));
            }
            return true;
          });
    }
    return made;
  }

  private static RangeQuery events(long fromMillis, long untilMillis) {
    return RangeQuery.ALL
        .withTypes(new TypeGlobs(List.of(TYPE)))
        .withRange(fromMillis * NANOS_PER_MILLISECOND, (untilMillis + 1) * NANOS_PER_MILLISECOND);
  }

  private static RangeQuery ofGroup(RuleGroup group, long fromMillis, long untilMillis) {
    Filter.Literal key = new Filter.Literal.Word(Text.of(group.key()));
    return events(fromMillis, untilMillis)
        .withFilter(new Filter.Compare(GROUP, Filter.Comparison.EQUAL, key));
  }

  /// An evaluation in the store.
  static final class Stored {
    private final long millis;
    private final String group;
    private final String hash;
    private final String arrived;
    private final long arrival; // of its first event
    private final List<String> transitions = new ArrayList<>();
    private final List<String> states = new ArrayList<>();

    private Stored(EventView event) {
      millis = Math.floorDiv(event.timeNanos(), NANOS_PER_MILLISECOND);
      group = text(event, GROUP);
      hash = text(event, HASH);
      arrived = text(event, ARRIVED);
      arrival = event.arrival();
    }

    private void add(EventView event) {
      transitions.add(text(event, TRANSITIONS));
      states.add(text(event, STATE));
    }

    long millis() {
      return millis;
    }

    /// The key of the group.
    String group() {
      return group;
    }

    String hash() {
      return hash;
    }

    String arrived() {
      return arrived;
    }

    /// The changes that it led to.
    List<String> lines() {
      return transitions.stream().flatMap(each -> AlertJson.readLines(each).stream()).toList();
    }

    /// The alerts after it.
    List<AlertJson.Kept> kept() {
      return states.stream().flatMap(each -> AlertJson.readKept(each).stream()).toList();
    }

    /// The same without those that were found late.
    List<AlertJson.Kept> alerts() {
      return kept().stream().filter(each -> each.since() == 0).toList();
    }
  }

  /// Looks at the evaluations of one time, one of each group.
  private interface Look {
    /// Returns false to end.
    boolean at(Collection<Stored> ofTime);
  }

  /// Of evaluations that were made again only the last ones are shown.
  private void read(StoreView view, RangeQuery query, Look look) {
    try (QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory);
        RangeReader reader = execution.open(query)) {
      Map<String, Stored> ofTime = new LinkedHashMap<>(); // by group
      long millis = GroupState.NEVER;
      while (reader.nextWhenReady() == Step.EVENT) {
        Stored next = new Stored(reader.event());
        if (next.millis != millis) {
          if (!ofTime.isEmpty() && !look.at(ofTime.values())) {
            return;
          }
          ofTime.clear();
          millis = next.millis;
        }
        Stored known = ofTime.get(next.group);
        if (known == null
            || (!known.arrived.equals(next.arrived) && known.arrival < next.arrival)) {
          ofTime.put(next.group, next);
          known = next;
        }
        if (known.arrived.equals(next.arrived)) {
          known.add(reader.event());
        }
      }
      if (!ofTime.isEmpty()) {
        boolean _ = look.at(ofTime.values());
      }
    }
  }

  private static String text(EventView event, AttributeName name) {
    AttributeValue value = new AttributeValue();
    return event.find(name, value) ? value.toString() : "";
  }
}
