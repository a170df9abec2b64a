package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One event by its id, and the events around it in the total order, as JSON lines.
///
/// - Threads: one.
public final class EventResult {
  private static final AttributeName TYPE = AttributeName.of("type");

  private final StoreView view;
  private final QueryMemory memory;
  private final JsonLinesWriter writer = new JsonLinesWriter(ZoneOffset.UTC);

  /// The number of events before and after an event to return.
  ///
  /// @param before at most so many events before it
  /// @param after at most so many events after it
  /// @param same only events of its type
  public record Around(int before, int after, boolean same) {}

  /// @param view remains the caller's
  public EventResult(StoreView view, QueryMemory memory) {
    this.view = view;
    this.memory = memory;
  }

  /// Writes an event with its token, the partition in which it lies, its place there, its tick of
  /// 100 ns and its number in the order of arrival:
  ///
  /// ```
  /// {"event":{...},"token":"w1...","partition":"2026-11-24T23|shop.web|7","lane":1,
  ///  "place":{"state":"sealed","segment":440,"file":"..","block":17,"blocks":31,"row":204},
  ///  "level":"error","tick":..,"arrival":..}
  /// ```
  ///
  /// A store on other machines knows no lane and no place.
  ///
  /// @param type of the event; null for the first one of any type
  /// @return false when there is none
  public boolean event(EventId id, @Nullable String type, OutputBuffer out) {
    try (RangeReader reader = open(withId(id, type))) {
      if (reader.nextWhenReady() != EventCursor.Step.EVENT) {
        return false;
      }
      EventView event = reader.event();
      out.put("{\"event\":");
      int start = out.length();
      writer.event(event, out);
      assert out.length() > start : "an event is a line";
      out.truncate(out.length() - 1); // without its line feed
      out.put(",\"token\":\"" + Token.of(event));
      PartitionKey partition = partition(id, event.type());
      if (partition != null) {
        out.put("\",\"partition\":\"");
        out.putJson(partition.toString());
      }
      out.put("\"");
      StoreView.Place place = partition == null ? null : view.place(partition, id);
      if (place != null) {
        put(place, out);
      }
      Level level = Level.of(event, new AttributeValue());
      if (level != null) {
        out.put(",\"level\":\"" + level.word() + "\"");
      }
      out.put(",\"tick\":" + tickOfSecond(id) + ",\"arrival\":" + event.arrival() + "}\n");
      return true;
    }
  }

  private static void put(StoreView.Place place, OutputBuffer out) {
    out.put(",\"lane\":" + place.lane() + ",\"place\":{\"state\":");
    StoreView.Place.Sealed sealed = place.sealed();
    if (sealed == null) {
      out.put("\"open\"}");
      return;
    }
    out.put(sealed.merged() ? "\"final\"" : "\"sealed\"");
    out.put(",\"segment\":" + sealed.segment() + ",\"file\":\"" + sealed.file());
    out.put("\",\"block\":" + sealed.block() + ",\"blocks\":" + sealed.blocks());
    out.put(",\"row\":" + sealed.row() + "}");
  }

  private static long tickOfSecond(EventId id) {
    return Math.floorMod(TimeUuid.tickNanos(id.time()), 1_000_000_000L) / TimeUuid.NANOS_PER_TICK;
  }

  private static RangeQuery withId(EventId id, @Nullable String type) {
    RangeQuery query = RangeQuery.ALL.withFilter(new Filter.OfId(id)).narrowed().withLimit(1);
    return type == null ? query : query.withFilter(ofType(id, type));
  }

  /// A type as it is, which need not be a pattern.
  private static Filter ofType(EventId id, String type) {
    return new Filter.And(List.of(new Filter.OfId(id), typeIs(type)));
  }

  private static Filter typeIs(String type) {
    return new Filter.OfType(
        new Filter.Compare(TYPE, Filter.Comparison.EQUAL, new Filter.Literal.Word(Text.of(type))));
  }

  private RangeReader open(RangeQuery query) {
    return RangeReader.open(view, query, QueryBudget.DEFAULT, memory);
  }

  /// The partition that has an event: the only one of its type and time that shows its id.
  private @Nullable PartitionKey partition(EventId id, String type) {
    long tick = TimeUuid.tickNanos(id.time());
    Scan scan = Scan.all().withRange(id, id.next());
    for (PartitionInfo info : view.partitions(type::equals, tick, tick + TimeUuid.NANOS_PER_TICK)) {
      try (EventCursor cursor = view.open(List.of(info.key()), scan)) {
        if (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
          return info.key();
        }
      }
    }
    return null;
  }

  /// Writes the events before an event, itself, and those after it, in the total order, a line
  /// each.
  ///
  /// @param type of the event; null for the first one of any type
  /// @return false when there is no such event
  public boolean context(EventId id, @Nullable String type, Around around, OutputBuffer out) {
    Token position;
    OutputBuffer line = new OutputBuffer(1 << 10);
    try (RangeReader reader = open(withId(id, type))) {
      if (reader.nextWhenReady() != EventCursor.Step.EVENT) {
        return false;
      }
      position = Token.of(reader.event());
      writer.event(reader.event(), line);
    }
    RangeQuery all = RangeQuery.ALL.withAfter(position);
    if (around.same) {
      all = all.withFilter(typeIs(position.type()));
    }
    if (around.before > 0) {
      lines(all.withDescending(true).withLimit(around.before)).reversed().forEach(out::put);
    }
    out.put(Arrays.copyOf(line.bytes(), line.length()));
    if (around.after > 0) {
      lines(all.withLimit(around.after)).forEach(out::put);
    }
    return true;
  }

  private List<byte[]> lines(RangeQuery query) {
    List<byte[]> lines = new ArrayList<>();
    OutputBuffer line = new OutputBuffer(1 << 10);
    try (RangeReader reader = open(query)) {
      while (reader.nextWhenReady() == EventCursor.Step.EVENT) {
        line.clear();
        writer.event(reader.event(), line);
        lines.add(Arrays.copyOf(line.bytes(), line.length()));
      }
    }
    return lines;
  }
}
