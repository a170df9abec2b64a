package io.widerow.query.result;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.LateEvent;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventCursor;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Follows the events of a store by polling. Each request is for the events after the last one
/// shown, and for the events before it that have arrived since the last result:
///
/// ```
///   late, shown with a flag              shown once, in order     not yet: may still change
///  ------------------------------------|-------------------------|--------------------------->
///                                    token                  watermark = now - lag
/// ```
///
/// Both parts come from one view of the store. The result names the position of that view in the
/// order of arrival, and the next request continues from there. So each event is shown exactly
/// once: where the total order has it when it arrives within the lag, and with [LateEvent#FLAG]
/// when it arrives later, however late.
///
/// - Without a lag, each event is shown on arrival.
/// - An event whose id the sender chose is shown again, with the flag, when it is written again.
/// - The store's clock decides, not the reader's. A slow reader delays the next request and loses
///   nothing, unless retention overtakes it. That is reported as a gap, with the token of the first
///   remaining event.
/// - When a result breaks off, the events that it showed are not shown again.
/// - Memory: the positions of the late events of one result, at most [#AGAIN_MAX]. When a longer
///   answer breaks off, the late events past that number are shown again.
/// - Threads: one; any thread may call [#token] and [#arrived].
public final class Tail {
  static final int AGAIN_MAX = 1 << 18;
  private static final int CHUNK_BYTES = 1 << 16;

  /// Answers the requests.
  @FunctionalInterface
  public interface Source {
    Answer ask(Map<String, List<String>> parameters);
  }

  /// The answer to one request.
  ///
  /// @param arrived the position of the result's view in the order of arrival; null when the source
  ///   does not know it: late events are then not found
  public record Answer(EventCursor cursor, @Nullable String arrived) implements AutoCloseable {
    @Override
    public void close() {
      cursor.close();
    }
  }

  /// Takes the formatted events.
  @FunctionalInterface
  public interface Output {
    /// Writes the sink's bytes and clears it. False when the reader has gone.
    boolean write(OutputBuffer sink);
  }

  /// The events to follow, and the mode.
  ///
  /// @param parameters `type`, `where` and `fields` of each request
  /// @param lagNanos age at which events are shown in order; 0 shows them on arrival
  /// @param limit number of events after which it ends
  /// @param newest number of events to begin with: the newest before the watermark; 0 for none
  /// @param from start of the range of these, as a parameter; null for no start
  public record Plan(
      Map<String, List<String>> parameters,
      long lagNanos,
      long limit,
      long newest,
      @Nullable String from) {
    public Plan(Map<String, List<String>> parameters, long lagNanos, long limit) {
      this(parameters, lagNanos, limit, 0, null);
    }
  }

  private final Plan plan;
  private final Source source;
  private final EventWriter writer;
  private final Output out;
  private final PrintStream err;
  private final OutputBuffer sink = new OutputBuffer(2 * CHUNK_BYTES);
  private final AttributeValue scratch = new AttributeValue();
  private final Set<Token> again = new HashSet<>(); // late events of an incomplete answer
  private volatile Token token;
  private volatile @Nullable String arrived;
  private boolean begun;
  private boolean open = true;
  private long shown;

  /// @param after the position after which it starts; null for the current watermark
  /// @param arrived the position in the order of arrival that belongs to `after`; null for the
  ///   current one
  public Tail(
      Plan plan,
      Source source,
      EventWriter writer,
      Output out,
      PrintStream err,
      @Nullable Token after,
      @Nullable String arrived,
      long nowNanos) {
    this.plan = plan;
    this.source = source;
    this.writer = writer;
    this.out = out;
    this.err = err;
    this.token = after == null ? Token.before(nowNanos - plan.lagNanos()) : after;
    this.arrived = arrived;
  }

  /// Position of the last event shown in order; the start position before the first.
  public Token token() {
    return token;
  }

  /// Position in the order of arrival up to which late events were shown; null before the first
  /// answer.
  public @Nullable String arrived() {
    return arrived;
  }

  /// Asks once and shows the new events. False when the limit is reached or the reader has gone.
  public boolean poll() {
    if (!begun) {
      writer.begin(sink);
      begun = true;
      if (plan.newest() > 0 && !showNewest()) {
        return false;
      }
    }
    long before = shown;
    try (Answer answer = source.ask(question())) {
      while (open && isEvent(answer.cursor())) {
        show(answer);
      }
      if (open) {
        lateAreShown(answer);
      }
    } catch (QueryException.Expired gone) {
      gap(gone);
    } finally {
      if (shown > before) {
        writer.end(token, sink);
      }
      flush();
    }
    return open;
  }

  /// Shows the newest events before the watermark, oldest first; the tail continues after them.
  /// Without one the tail begins where it would have begun.
  private boolean showNewest() {
    Map<String, List<String>> question = new LinkedHashMap<>(plan.parameters());
    if (plan.from() != null) {
      question.put("from", List.of(plan.from()));
    }
    question.put("to", List.of(ago(plan.lagNanos())));
    question.put("order", List.of("desc"));
    question.put("limit", List.of(Long.toString(Math.min(plan.newest(), plan.limit()))));
    OutputBuffer line = new OutputBuffer(1 << 10);
    List<byte[]> lines = new ArrayList<>();
    try (Answer answer = source.ask(question)) {
      while (isEvent(answer.cursor())) {
        if (lines.isEmpty()) {
          token = Token.of(answer.cursor().event());
          arrived = answer.arrived();
        }
        writer.event(answer.cursor().event(), line);
        lines.add(Arrays.copyOf(line.bytes(), line.length()));
        line.clear();
      }
    }
    lines.reversed().forEach(sink::put);
    shown += lines.size();
    open = shown < plan.limit();
    if (shown > 0) {
      writer.end(token, sink);
    }
    flush();
    return open;
  }

  private Map<String, List<String>> question() {
    Map<String, List<String>> question = new LinkedHashMap<>(plan.parameters());
    question.put("to", List.of(ago(plan.lagNanos())));
    question.put("after", List.of(token.toString()));
    String since = arrived;
    if (since != null) {
      question.put("arrived", List.of(since));
    }
    return question;
  }

  private void show(Answer answer) {
    EventView event = answer.cursor().event();
    Token position = Token.of(event);
    if (LateEvent.isLate(event, scratch) && !token.isBefore(event, false)) {
      if (again.contains(position)) {
        return;
      }
      if (again.size() < AGAIN_MAX) {
        again.add(position);
      }
    } else {
      lateAreShown(answer);
      token = position;
    }
    writer.event(event, sink);
    if (++shown == plan.limit()) {
      open = false;
    }
    if (sink.length() >= CHUNK_BYTES) {
      flush();
    }
  }

  /// A result has its late events first, so the next event in order means that all were shown.
  private void lateAreShown(Answer answer) {
    arrived = answer.arrived();
    again.clear();
  }

  /// Retention has overtaken the reader: reports a gap and continues with the remaining events.
  private void gap(QueryException.Expired gone) {
    if (gone.first != null) {
      Token first = Token.parse(gone.first);
      token = first;
      writer.gap(first, String.valueOf(gone.getMessage()), sink);
      err.println("gap: " + gone.getMessage());
    }
  }

  private static String ago(long nanos) {
    return nanos + "ns";
  }

  private static boolean isEvent(EventCursor cursor) {
    return cursor.nextWhenReady() == EventCursor.Step.EVENT;
  }

  private void flush() {
    open &= out.write(sink);
  }
}
