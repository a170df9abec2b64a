package io.widerow.query;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Follows the events of a store by asking again and again, each time behind the last one shown:
///
/// ```
///   late events are looked for here     shown once, in order     not yet: may still change
///  |---------------------------------|-------------------------|--------------------------->
///  watermark - late                token                    watermark = now - lag
/// ```
///
/// - Ordered: what is shown is in the total order, and the token of the last event goes on exactly.
///   An event that comes when the token is past its place is not shown but told of, with the query
///   that shows it.
/// - Now: there is no lag; such an event is shown when it comes, with [LateEvent#FLAG].
/// - The store's clock counts, not the reader's. A slow reader pauses the questions and loses
///   nothing.
/// - Memory: the positions of the window behind the watermark, at most [#SEEN_MAX]. When there are
///   more it says that late events are no longer looked for.
/// - Threads: one; any may ask for [#token].
final class Tail {
  static final int SEEN_MAX = 1 << 20;
  private static final int CHUNK_BYTES = 1 << 16;
  private static final String TYPE_LEAST = "!"; // no event has an instant's least id

  private static final Comparator<Token> POSITIONS =
      Comparator.comparing(Token::id).thenComparing(Token::type);

  /// Who is asked.
  @FunctionalInterface
  interface Source {
    EventCursor ask(Map<String, List<String>> parameters);
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
  /// @param lagNanos how far behind the present events are final; 0 shows them at once, and late
  ///   ones flagged
  /// @param lateNanos how far behind that late events are looked for
  /// @param limit events after which it ends
  record Plan(Map<String, List<String>> parameters, long lagNanos, long lateNanos, long limit) {}

  private final Plan plan;
  private final Source source;
  private final EventWriter writer;
  private final Output out;
  private final PrintStream err;
  private final ByteSink sink = new ByteSink(2 * CHUNK_BYTES);
  private final TreeSet<Token> seen = new TreeSet<>(POSITIONS);
  private volatile Token token;
  private boolean blind; // too many to remember
  private boolean open = true;
  private long shown;

  /// @param after the position behind which it starts; null for the present watermark
  Tail(
      Plan plan,
      Source source,
      EventWriter writer,
      Output out,
      PrintStream err,
      @Nullable Token after,
      long nowNanos) {
    this.plan = plan;
    this.source = source;
    this.writer = writer;
    this.out = out;
    this.err = err;
    EventId watermark = EventId.leastOf(nowNanos - plan.lagNanos());
    this.token = after == null ? new Token(watermark, TYPE_LEAST) : after;
  }

  /// Position of the last event shown in order, or where it started.
  Token token() {
    return token;
  }

  /// Remembers what was there before, so that it is not taken for late. To be called once.
  void begin() {
    writer.begin(sink);
    try (EventCursor cursor = source.ask(lateWindow())) {
      while (isEvent(cursor)) {
        Token position = Token.of(cursor.event());
        if (isShown(position)) {
          remember(position);
        }
      }
    }
  }

  /// Shows what is new. False when it is over: the limit is reached or nobody reads any more.
  boolean poll() {
    Map<String, List<String>> question = new LinkedHashMap<>(plan.parameters());
    question.put("to", List.of(ago(plan.lagNanos())));
    question.put("after", List.of(token.toString()));
    long before = shown;
    try (EventCursor cursor = source.ask(question)) {
      while (open && isEvent(cursor)) {
        token = Token.of(cursor.event());
        remember(token);
        show(cursor.event());
      }
    } finally {
      endPiece(before);
    }
    if (open && !blind) {
      late();
    }
    return open;
  }

  private void late() {
    long before = shown;
    long told = 0;
    long firstNanos = 0;
    try (EventCursor cursor = source.ask(lateWindow())) {
      while (open && isEvent(cursor)) {
        Token position = Token.of(cursor.event());
        if (!isShown(position) || blind || seen.contains(position)) {
          continue;
        }
        remember(position);
        if (plan.lagNanos() == 0) {
          show(new LateEvent(cursor.event()));
        } else if (told++ == 0) {
          firstNanos = cursor.event().timeNanos();
        }
      }
    } finally {
      endPiece(before);
    }
    if (told > 0) {
      err.printf(
          "%d late events are not shown: they came behind the watermark, the first at --from %d%n",
          told, firstNanos);
    }
  }

  /// True for positions that are not ahead of what was shown.
  private boolean isShown(Token position) {
    return POSITIONS.compare(position, token) <= 0;
  }

  private Map<String, List<String>> lateWindow() {
    Map<String, List<String>> question = new LinkedHashMap<>(plan.parameters());
    question.put("from", List.of(ago(plan.lagNanos() + plan.lateNanos())));
    question.put("to", List.of(ago(plan.lagNanos())));
    return question;
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

  private void remember(Token position) {
    if (blind) {
      return;
    }
    seen.add(position);
    long least = position.tickNanos() - plan.lagNanos() - 2 * plan.lateNanos();
    while (seen.first().tickNanos() < least) {
      seen.pollFirst();
    }
    if (seen.size() > SEEN_MAX) {
      blind = true;
      seen.clear();
      err.printf(
          "more than %d events within --late: late events are no longer looked for%n", SEEN_MAX);
    }
  }

  private void show(EventView event) {
    writer.event(event, sink);
    if (++shown == plan.limit()) {
      open = false;
    }
    if (sink.length() >= CHUNK_BYTES) {
      flush();
    }
  }

  private void endPiece(long before) {
    if (shown > before) {
      writer.end(token, sink);
    }
    flush();
  }

  private void flush() {
    open &= out.write(sink);
  }
}
