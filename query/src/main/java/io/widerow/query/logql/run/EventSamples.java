package io.widerow.query.logql.run;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.aggregation.Field;
import io.widerow.query.aggregation.GroupCache;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.GroupedEvents;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Takes samples from events without showing each as a line. Numbers are compared and unwrapped as
/// they are stored. What the other stages make of an event depends on a few of its attributes, so
/// the line of one event tells it for all that agree in these.
///
/// - Threads: one.
/// - Memory: a few thousand groups of equal attributes, see [GroupCache].
final class EventSamples {
  /// Of events that no stage keeps.
  private static final Group DROPPED = new Group(null, 0, false);

  /// Of events whose lines fail.
  private static final Group UNSURE = new Group(null, 0, true);

  private final RangeSamples owner;
  private final EventStages stages;
  private final EventLines lines;
  private final Pipeline pipeline;
  private final GroupCache<Group> groups;
  private final boolean isOne; // all events agree, in nothing
  private @Nullable Group only; // then, once it is known
  private final AttributeValue scratch = new AttributeValue();

  /// Events that agree in the attributes that stages and labels depend on.
  ///
  /// @param samples of their series; null for none
  /// @param value of each
  private record Group(@Nullable Samples samples, double value, boolean isUnsure) {}

  /// @param lines shows the attributes that stages and labels depend on, of groups
  /// @param by these attributes, the type and the level, so far as they depend on them
  /// @param memory for the groups
  EventSamples(
      RangeSamples owner,
      EventStages stages,
      EventLines lines,
      List<Field> by,
      LongConsumer memory) {
    this.owner = owner;
    this.stages = stages;
    this.lines = lines;
    this.pipeline = new Pipeline(stages.same(), 0);
    this.groups = new GroupCache<>(by, memory);
    this.isOne = by.isEmpty();
  }

  /// Adds the sample of an event, if it has one. False when only the event's line decides.
  ///
  /// An event of the store's groups may have aggregates of the number.
  ///
  /// @param weight how many events it stands for
  boolean add(EventView event, long weight) {
    List<EventCondition> tests = stages.tests();
    for (int i = 0; i < tests.size(); i++) {
      switch (tests.get(i).of(event, scratch)) {
        case KEPT -> {}
        case DROPPED -> {
          return true;
        }
        case UNSURE -> {
          return false;
        }
      }
    }
    EventCondition.NumberLabel number = stages.number();
    AttributeName of = number == null ? null : number.names().getFirst();
    of = stages.measures() ? AttributeName.BODY : of;
    AttributeFigures figures =
        of != null && event instanceof GroupedEvents grouped ? grouped.figures(of) : null;
    if (figures != null && Samples.isNone(figures)) {
      return true;
    }
    double value = 1;
    if (stages.measures() && figures == null) {
      if (!event.find(AttributeName.BODY, scratch) || scratch.kind() != AttributeKind.STRING) {
        return false;
      }
      value = scratch.length();
    }
    if (number != null && figures == null) {
      if (!number.find(event, scratch)) {
        return true;
      }
      if (!EventCondition.NumberLabel.isNumber(scratch)) {
        return false;
      }
      value = scratch.asDouble();
    }
    Group group = only == null ? groups.find(0, event, scratch) : only;
    if (group == null) {
      group = group(event);
      groups.put(group);
      only = isOne ? group : null;
    }
    Samples samples = group.samples;
    if (samples != null && figures != null) {
      owner.add(samples, event.timeNanos(), figures);
    } else if (samples != null) {
      owner.add(samples, event.timeNanos(), of == null ? group.value : value, weight);
    }
    return !group.isUnsure;
  }

  private Group group(EventView event) {
    Line line = lines.show(event);
    if (!pipeline.run(line)) {
      return DROPPED;
    }
    double value = 1;
    if (stages.unwrapsLines()) {
      Double unwrapped = owner.unwrapped(line);
      if (unwrapped == null) {
        return DROPPED;
      }
      value = unwrapped;
    }
    return line.hasError() ? UNSURE : new Group(owner.samplesOf(line), value, false);
  }
}
