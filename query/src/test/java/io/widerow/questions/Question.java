package io.widerow.questions;

import io.widerow.event.EventView;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.Token;
import io.widerow.query.aggregation.Plot;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A question that can be asked of any store. Two stores that were written alike must give the same
/// bytes.
///
/// @param parameters as HTTP and [QueryParameters] take them, without `arrived`
public record Question(Kind kind, Map<String, List<String>> parameters) {
  /// How it is asked.
  public enum Kind {
    /// The events, in one answer.
    EVENTS,
    /// The events in pages of `limit`, each from the token of the page before.
    PAGES,
    /// Aggregates of the events.
    STATS,
    /// The events after a token, preceded by the events that arrived since a position.
    TAIL,
    /// The volume over time.
    HISTOGRAM
  }

  public Question {
    parameters = Map.copyOf(parameters);
  }

  /// The answer of the store as it is now, as bytes.
  ///
  /// @param arrived a position of the store, which questions of [Kind#TAIL] ask for
  /// @throws RuntimeException when the answer is not whole
  public byte[] ask(EventStore store, String arrived) {
    try (StoreView view = store.view()) {
      return ask(view, arrived);
    }
  }

  /// The same of one view.
  public byte[] ask(StoreView view, String arrived) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ask(view, arrived, all);
    return all.toByteArray();
  }

  /// The same for answers that may not fit into memory.
  public void ask(StoreView view, String arrived, OutputStream to) {
    Sink all = new Sink(to);
    switch (kind) {
      case EVENTS, STATS -> answer(view, parameters, all);
      case TAIL -> answer(view, with("arrived", arrived), all);
      case HISTOGRAM -> plot(view, all);
      case PAGES -> {
        Map<String, List<String>> page = parameters;
        while (true) {
          long before = all.bytes;
          QueryResult told = answer(view, page, all);
          Token token = told.token();
          if (told.events() == 0 || token == null) {
            break;
          }
          if (all.bytes == before) {
            throw new AssertionError(told.events() + " events without a byte");
          }
          page = with("after", token.toString());
        }
      }
    }
  }

  /// Counts written bytes.
  private static final class Sink {
    private final OutputStream to;
    long bytes;

    Sink(OutputStream to) {
      this.to = to;
    }

    void write(byte[] from, int length) {
      try {
        to.write(from, 0, length);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      bytes += length;
    }
  }

  private Map<String, List<String>> with(String name, @Nullable String value) {
    Map<String, List<String>> more = new LinkedHashMap<>(parameters);
    more.put(name, List.of(String.valueOf(value)));
    return more;
  }

  private static QueryResult answer(StoreView view, Map<String, List<String>> given, Sink out) {
    QueryParameters asked = QueryParameters.parse(given, OracleEvents.START);
    ReadMode mode = asked.asksForFigures() ? ReadMode.grouped(asked.fold()) : ReadMode.IN_ORDER;
    RangeReader reader =
        RangeReader.open(view, asked.query(), mode, QueryBudget.DEFAULT, QueryMemory.unlimited());
    try (QueryResult answer = new QueryResult(reader, asked.writer(), asked.query().after())) {
      OutputBuffer sink = new OutputBuffer(1 << 16);
      while (answer.writeNext(sink)) {
        if (sink.length() > 1 << 15) {
          out.write(sink.bytes(), sink.length());
          sink.clear();
        }
      }
      out.write(sink.bytes(), sink.length());
      RuntimeException failure = answer.failure();
      if (failure != null) {
        throw failure;
      }
      return answer;
    }
  }

  private void plot(StoreView view, Sink out) {
    Plot plot = new Plot();
    QueryParameters asked = QueryParameters.parse(parameters, OracleEvents.START);
    try (RangeReader reader =
        RangeReader.open(
            view,
            asked.query(),
            ReadMode.ANY_ORDER,
            QueryBudget.DEFAULT,
            QueryMemory.unlimited())) {
      while (reader.nextWhenReady() == EventCursor.Step.EVENT) {
        EventView event = reader.event();
        plot.add(event.timeNanos());
      }
    } catch (QueryException.Expired expired) {
      throw new AssertionError("a plot goes on from no token", expired);
    }
    String lines = String.join("\n", plot.lines(new Rfc3339(ZoneOffset.UTC), true));
    byte[] plotted = lines.getBytes(StandardCharsets.UTF_8);
    out.write(plotted, plotted.length);
  }
}
