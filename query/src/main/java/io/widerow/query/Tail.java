package io.widerow.query;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Follows the events of a store by asking again and again, each time for what lies behind the last
/// one shown, and for what came to the places before it since the last answer:
///
/// ```
///   came since, shown with a flag        shown once, in order     not yet: may still change
///  ------------------------------------|-------------------------|--------------------------->
///                                    token                  watermark = now - lag
/// ```
///
/// Both come out of one view of the store, and the answer says where that view is in the order of
/// arrival; the next question goes on from there. So every event is shown exactly once: in its
/// place in the total order when it comes within the lag, with [LateEvent#FLAG] when it comes
/// later, however late.
///
/// - With no lag, everything is shown when it comes.
/// - An event with an id of its own that is written again is shown again, with the flag.
/// - The store's clock counts, not the reader's. A slow reader pauses the questions and loses
///   nothing, unless retention overtakes it: that is told as a gap, with the token of what is left.
/// - When an answer breaks off, what it showed is not shown again.
/// - Memory: the positions of the late events of one answer, at most [#AGAIN_MAX]; when it has more
///   and breaks off, the others are shown again.
/// - Threads: one; any may ask for [#token] and [#arrived].
final class Tail {
  static final int AGAIN_MAX = 1 << 18;
  private static final int CHUNK_BYTES = 1 << 16;

  /// Who is asked.
  @FunctionalInterface
  interface Source {
    Answer ask(Map<String, List<String>> parameters);
  }

  /// What was answered.
  ///
  /// @param arrived the position of the answer's view in the order of arrival; null when the one
  ///   who was asked does not know it, and then late events are not found
  record Answer(EventCursor cursor, @Nullable String arrived) implements AutoCloseable {
    @Override
    public void close() {
      cursor.close();
    }
  }

  /// Where the answer goes.
  @FunctionalInterface
  interface Output {
    /// Takes what there is. False when nobody reads any more.
    boolean write(ByteSink sink);
  }

  /// What is followed, and how.
  ///
  /// @param parameters type, where and fields of each question
  /// @param lagNanos how far behind the present events are final; 0 shows them at once
  /// @param limit events after which it ends
  record Plan(Map<String, List<String>> parameters, long lagNanos, long limit) {}

  private final Plan plan;
  private final Source source;
  private final EventWriter writer;
  private final Output out;
  private final PrintStream err;
  private final ByteSink sink = new ByteSink(2 * CHUNK_BYTES);
  private final AttributeValue scratch = new AttributeValue();
  private final Set<Token> again = new HashSet<>(); // late ones of an answer that is not complete
  private volatile Token token;
  private volatile @Nullable String arrived;
  private boolean begun;
  private boolean open = true;
  private long shown;

  /// @param after the position behind which it starts; null for the present watermark
  /// @param arrived the position in the order of arrival that goes with it; null for the present
  Tail(
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

  /// Position of the last event shown in order, or where it started.
  Token token() {
    return token;
  }

  /// Position in the order of arrival up to which late events were shown; null before the first
  /// answer.
  @Nullable String arrived() {
    return arrived;
  }

  /// Shows what is new. False when it is over: the limit is reached or nobody reads any more.
  boolean poll() {
    if (!begun) {
      begun = true;
      writer.begin(sink);
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

  /// All late events of an answer come before the others.
  private void lateAreShown(Answer answer) {
    arrived = answer.arrived();
    again.clear();
  }

  /// The reader was slower than the retention: says so, and goes on with what is left.
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
    while (true) {
      switch (cursor.next()) {
        case EVENT -> {
          return true;
        }
        case PENDING -> cursor.ready().join();
        case END -> {
          return false;
        }
      }
    }
  }

  private void flush() {
    open &= out.write(sink);
  }
}
