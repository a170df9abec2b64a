package io.widerow.cql.schema;

import io.widerow.cql.type.TimeUuids;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The activities of one request, recorded because its client asked for it.
///
/// - Threads: any.
/// - Memory: at most [#EVENTS_MAX] activities, and texts of at most [#CHARS_MAX] characters.
public final class Trace {
  private static final int EVENTS_MAX = 64;
  private static final int CHARS_MAX = 4_000;

  private final UUID id;
  private final Source source;
  private final Instant started = Instant.now();
  private final long startedNanos = System.nanoTime();
  private final List<Event> events = new ArrayList<>();
  private @Nullable Duration duration;

  /// The request.
  ///
  /// @param local the address of this server that the client has reached
  /// @param client the client's address
  /// @param kind such as `Execute CQL3 query`
  /// @param parameters the statement and its options
  public record Source(
      InetSocketAddress local, InetAddress client, String kind, Map<String, String> parameters) {
    public Source {
      parameters = Map.copyOf(parameters);
    }
  }

  /// An activity.
  ///
  /// @param micros since the start of the request
  public record Event(UUID id, String activity, int micros, String thread) {}

  public Trace(Source source) {
    this.source = source;
    this.id = TimeUuids.next(started);
  }

  /// A text that is short enough to be kept.
  public static String cut(String text) {
    return text.length() <= CHARS_MAX ? text : text.substring(0, CHARS_MAX) + "...";
  }

  /// Records an activity when there is a trace.
  public static void add(@Nullable Trace trace, Supplier<String> activity) {
    if (trace != null) {
      trace.add(activity.get());
    }
  }

  private synchronized void add(String activity) {
    if (events.size() < EVENTS_MAX) {
      String thread = Thread.currentThread().getName();
      UUID at = TimeUuids.next(Instant.now());
      events.add(new Event(at, cut(activity), micros(elapsed()), thread));
    }
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  private static int micros(Duration time) {
    return (int) Math.min(TimeUnit.NANOSECONDS.toMicros(time.toNanos()), Integer.MAX_VALUE);
  }

  /// The request is answered.
  public synchronized void end() {
    duration = elapsed();
  }

  public UUID id() {
    return id;
  }

  public Source source() {
    return source;
  }

  public Instant started() {
    return started;
  }

  /// The time until the answer in microseconds; null while there is none.
  public synchronized @Nullable Integer micros() {
    return duration == null ? null : (Integer) micros(duration);
  }

  public synchronized List<Event> events() {
    return List.copyOf(events);
  }
}
