package io.widerow.ingest.transform;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordEdit;
import io.widerow.event.RecordView;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Filters;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Applies transforms to batches. An event goes through the rules of its type one after the other;
/// each sees what those before it have left. The batch is not copied before the first event that
/// changes.
///
/// ```
///   records of the batch:   a  b  c  d  e        c is changed, d is dropped
///   spare:                  a  b  c' e           then the batch takes the spare's memory
///   index of each:          0  1  2  4
/// ```
///
/// - Threads: one.
/// - Memory: keeps the rules of up to [#TYPES_MAX] types, and two copies of the largest event.
final class TransformRun {
  private static final int TYPES_MAX = 4_096;
  private static final String TOO_LARGE = "the rules have made the event larger than the limit";
  private static final String NO_ROOM = "the rules have made the batch larger than the limit";

  private final List<Step> all = new ArrayList<>();
  private final List<Redaction> redactions = new ArrayList<>();
  private final @Nullable KeyedHash hash;
  private final Map<String, List<Step>> byType = new HashMap<>();
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();
  private RecordEdit edit = new RecordEdit();
  private RecordEdit other = new RecordEdit(); // holds the event at hand when it was changed
  private int[] indexes = new int[64];
  private String type = "";
  private @Nullable List<Step> ofType; // the steps of `type`

  // The event at hand.
  private MemorySegment records = MemorySegment.NULL;
  private long at;

  // Of the last batch.
  private int changed;
  private int dropped;
  private int refused;
  private int eventBytesMax = EventLayout.EVENT_BYTES_MAX;
  private final FieldAddition addition = new FieldAddition();
  private final long[] changedBy; // events that each rule changed or dropped, since it was asked
  private final long[] failedBy; // events at which each rule failed
  private @Nullable Watcher watcher;

  /// A rule with what this thread needs for it.
  ///
  /// @param rule its place in the file, from 0
  /// @param redaction null for other actions
  private record Step(Filter when, Action action, int rule, @Nullable Redaction redaction) {}

  /// The outcome for an event.
  private enum Fate {
    SAME,
    CHANGED,
    DROPPED
  }

  /// What a rule did to an event.
  enum Effect {
    /// The condition does not keep the event.
    PASSED,
    /// There was nothing to change.
    SAME,
    CHANGED,
    DROPPED,
    /// The rule could not do its work; the event stays as it was.
    FAILED
  }

  /// Watches the rules at work, for a trial.
  @FunctionalInterface
  interface Watcher {
    /// @param rule its place in the file, from 0
    /// @param event after the rule
    void step(int rule, Effect effect, RecordView event);
  }

  TransformRun(TransformSet set) {
    hash = set.hasKey() ? new KeyedHash(set.key()) : null;
    changedBy = new long[set.size()];
    failedBy = new long[set.size()];
    for (Transform rule : set.rules()) {
      Redaction redaction = rule.action() instanceof Action.Redact r ? new Redaction(r) : null;
      all.add(new Step(rule.when(), rule.action(), all.size(), redaction));
      if (redaction != null) {
        redactions.add(redaction);
      }
    }
  }

  /// Events that the last batch had changed, dropped, and too large to be stored.
  int changed() {
    return changed;
  }

  int dropped() {
    return dropped;
  }

  int refused() {
    return refused;
  }

  /// Adds the events that each rule changed or dropped, and at which it failed, and begins again.
  void takeCounts(RuleCounts counts) {
    counts.add(changedBy, failedBy);
    Arrays.fill(changedBy, 0);
    Arrays.fill(failedBy, 0);
  }

  void watch(Watcher newWatcher) {
    watcher = newWatcher;
  }

  /// Applies the rules to one record, none of which leaves it out.
  ///
  /// @return the event as it becomes, until the next call; null when it stays as it is
  @Nullable RecordView changed(MemorySegment record, long offset) {
    Fate fate = fate(record, offset);
    if (fate == Fate.DROPPED) {
      throw new IllegalStateException("a rule left out an event that must stay");
    }
    long bytes = EventLayout.length(records, at);
    boolean same =
        fate == Fate.SAME
            || (EventLayout.length(record, offset) == bytes
                && MemorySegment.mismatch(record, offset, offset + bytes, records, at, at + bytes)
                    < 0);
    return same ? null : view.show(records, at);
  }

  void apply(IncomingBatch batch, EventBatch spare) {
    eventBytesMax = spare.eventBytesMax();
    changed = 0;
    dropped = 0;
    refused = 0;
    EventBatch events = batch.events;
    MemorySegment memory = events.memory();
    if (indexes.length < events.count()) {
      indexes = new int[Math.max(events.count(), 2 * indexes.length)];
    }
    Refusals refusals = batch.refused;
    long limit = events.bytes();
    boolean copying = false;
    int kept = 0;
    int refusal = 0;
    int index = 0;
    for (long offset = 0; offset < limit; index++) {
      while (refusal < refusals.listed() && refusals.index(refusal) == index) {
        refusal++;
        index++;
      }
      Fate fate = fate(memory, offset);
      if (fate != Fate.SAME && !copying) {
        copying = true;
        copy(memory, offset, spare);
      }
      int listed = refusals.listed();
      if (copying && fate != Fate.DROPPED && !put(spare, index, refusals)) {
        refusal += refusals.listed() - listed; // it was put before the later ones
      } else if (fate != Fate.DROPPED) {
        indexes[kept++] = index;
      }
      changed += fate == Fate.CHANGED ? 1 : 0;
      dropped += fate == Fate.DROPPED ? 1 : 0;
      offset += EventLayout.alignedLength(EventLayout.length(memory, offset));
    }
    records = MemorySegment.NULL; // the memory goes to others
    if (copying) {
      events.take(spare);
    }
    if (dropped > 0) {
      batch.dropped(dropped, Arrays.copyOf(indexes, kept));
    }
    if (refusals.listed() > 0 && !redactions.isEmpty()) {
      refusals.rewrite(this::scrub);
    }
  }

  private static void copy(MemorySegment memory, long limit, EventBatch spare) {
    for (long offset = 0; offset < limit; ) {
      spare.copy(memory, offset);
      offset += EventLayout.alignedLength(EventLayout.length(memory, offset));
    }
  }

  /// Adds the event at hand; refuses it when it does not fit.
  private boolean put(EventBatch spare, int index, Refusals refusals) {
    Rejection why = spare.tryCopy(records, at);
    if (why == null) {
      return true;
    }
    refusals.add(index, why == Rejection.BATCH_FULL ? NO_ROOM : TOO_LARGE);
    refused++;
    return false;
  }

  /// No expression of any rule is left in a reason, whatever its filter and names.
  private String scrub(String reason) {
    String scrubbed = reason;
    for (Redaction redaction : redactions) {
      scrubbed = redaction.scrub(scrubbed);
    }
    return scrubbed;
  }

  /// Applies the rules to the event at `offset`; leaves it at `records` and `at`.
  private Fate fate(MemorySegment memory, long offset) {
    records = memory;
    at = offset;
    List<Step> steps = steps(view.show(memory, offset).type());
    Fate fate = Fate.SAME;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      Effect effect = effect(step);
      switch (effect) {
        case CHANGED -> {
          fate = Fate.CHANGED;
          changedBy[step.rule]++;
        }
        case DROPPED -> {
          fate = Fate.DROPPED;
          changedBy[step.rule]++;
        }
        case FAILED -> failedBy[step.rule]++;
        case PASSED, SAME -> {}
      }
      if (watcher != null) {
        watcher.step(step.rule, effect, view.show(records, at));
      }
      if (effect == Effect.DROPPED) {
        return fate;
      }
      if (effect == Effect.CHANGED && step.action instanceof Action.MoveToType(String moved)) {
        int next = step.rule + 1; // the rules for the new type that come after it
        steps = steps(moved);
        i = -1;
        while (i + 1 < steps.size() && steps.get(i + 1).rule < next) {
          i++;
        }
      }
    }
    return fate;
  }

  private Effect effect(Step step) {
    boolean isFor =
        step.when instanceof Filter.Everything
            || FilterEvaluation.keeps(step.when, view.show(records, at), value);
    if (!isFor) {
      return Effect.PASSED;
    }
    return switch (step.action) {
      case Action.DropEvent() -> Effect.DROPPED;
      case Action.Sample sample -> keeps(sample) ? Effect.SAME : Effect.DROPPED;
      case Action.Parse rule -> taken(addition.parse(rule, records, at, edit, eventBytesMax));
      case Action.Lookup rule -> taken(addition.lookup(rule, records, at, edit, eventBytesMax));
      case Action.SetValue rule -> taken(addition.set(rule, records, at, edit, eventBytesMax));
      case Action.Copy(AttributeName from, AttributeName to) -> {
        AttributeName free = free(from, to);
        yield free == null
            ? Effect.SAME
            : taken(addition.copy(from, free, records, at, edit, eventBytesMax));
      }
      case Action.MoveToType(String moved) ->
          moved.equals(view.show(records, at).type())
              ? Effect.SAME
              : taken(
                  FieldAddition.retype(
                      moved.getBytes(StandardCharsets.UTF_8), records, at, edit, eventBytesMax));
      case Action.Drop _, Action.Rename _, Action.Redact _, Action.Hash _ ->
          changes(step) ? Effect.CHANGED : Effect.SAME;
    };
  }

  /// Goes on with the event that the edit holds, when it was changed.
  private Effect taken(FieldAddition.Outcome outcome) {
    return switch (outcome) {
      case SAME -> Effect.SAME;
      case FAILED -> Effect.FAILED;
      case CHANGED -> {
        takeEdit();
        yield Effect.CHANGED;
      }
    };
  }

  private void takeEdit() {
    RecordEdit done = edit;
    edit = other;
    other = done;
    records = done.memory();
    at = 0;
  }

  private boolean keeps(Action.Sample sample) {
    view.show(records, at);
    AttributeName by = sample.by();
    long hash;
    if (by == null) {
      long from = EventLayout.typeOffset(at);
      hash = SampleHash.hash(view.idTime(), records, from, at + view.length() - from);
    } else if (view.find(by, value)) {
      byte[] text = ValueText.of(value);
      hash = SampleHash.hash(0, MemorySegment.ofArray(text), 0, text.length);
    } else {
      return true; // no value, no decision
    }
    return SampleHash.keeps(sample.limit(), hash);
  }

  /// The rules for a type, with their tests of the type decided.
  private List<Step> steps(String newType) {
    List<Step> known = ofType;
    if (known != null && newType.equals(type)) {
      return known;
    }
    if (byType.size() >= TYPES_MAX) {
      byType.clear();
    }
    List<Step> steps = byType.computeIfAbsent(newType, this::decided);
    type = newType;
    ofType = steps;
    return steps;
  }

  private List<Step> decided(String ofThisType) {
    List<Step> steps = new ArrayList<>();
    for (Step step : all) {
      if (Filters.mayKeepType(step.when, ofThisType)) {
        Filter when = Filters.ofType(step.when, ofThisType);
        steps.add(new Step(when, step.action, step.rule, step.redaction));
      }
    }
    return List.copyOf(steps);
  }

  /// Does what a rule says to the event at hand. False when that changes nothing.
  private boolean changes(Step step) {
    AttributeName free =
        step.action instanceof Action.Rename(AttributeName from, AttributeName to)
            ? free(from, to)
            : null;
    if (step.action instanceof Action.Rename && free == null) {
      return false;
    }
    edit.begin(records, at);
    while (edit.next()) {
      switch (step.action) {
        case Action.Drop(AttributeSelector names) -> {
          if (names.has(edit)) {
            edit.drop();
          } else {
            edit.keep();
          }
        }
        case Action.Rename(AttributeName from, _) -> {
          if (free != null && edit.isNamed(from)) {
            edit.rename(free);
          } else {
            edit.keep();
          }
        }
        case Action.Hash(AttributeSelector names) -> hash(names);
        case Action.Redact _ -> redact(step);
        default -> throw new IllegalStateException("no attribute is asked for: " + step.action);
      }
    }
    if (!edit.end()) {
      return false;
    }
    takeEdit();
    return true;
  }

  /// The name that an attribute gets when it is renamed; null when the event does not have it.
  private @Nullable AttributeName free(AttributeName from, AttributeName to) {
    view.show(records, at);
    if (!view.find(from, value)) {
      return null;
    }
    AttributeName free = to;
    for (int number = 2; view.find(free, value); number++) {
      free = AttributeName.of(to + "_" + number);
    }
    return free;
  }

  private void hash(AttributeSelector names) {
    if (hash == null || !names.has(edit)) {
      edit.keep();
      return;
    }
    edit.value(value);
    edit.putText(AttributeKind.STRING, hash.of(ValueText.of(value)), KeyedHash.HEX);
  }

  private void redact(Step step) {
    if (step.redaction == null) {
      throw new IllegalStateException("a redaction without its expression");
    }
    step.redaction.apply(edit, value);
  }
}
