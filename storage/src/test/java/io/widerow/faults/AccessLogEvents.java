package io.widerow.faults;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Generator of access-log events from 10,000 real lines: new times, and fields recombined from the
/// real pools and varied, so that no compressor sees a whole line twice. The same seed gives the
/// same events.
///
/// ```
/// 83.149.77.12 - - [20/Nov/2026:19:00:00 +0000] "GET /a/b.png?id=4711 HTTP/1.1" 200 2031 "-" "..."
///        varied                                                varied               varied
/// ```
///
/// A client keeps its agent. Paths, answers and referrers are as frequent as in the real log. Times
/// rise at a steady rate with varied nanoseconds, and a share of the events is late by up to
/// [#LATE_MAX]. Each event has one attribute, `body`, the whole line.
///
/// - Threads: one.
public final class AccessLogEvents {
  public static final Path REAL_LOG = Path.of("../loadgen/logs/apache_access.log");
  public static final Duration LATE_MAX = Duration.ofMinutes(5);

  private static final byte[] TYPE = utf8("apache.access");
  private static final byte[] BODY = utf8("body");
  private static final byte[] QUERY = utf8("?id=");
  private static final byte[] NO_BYTES = utf8("-");
  private static final int CLIENTS = 20_000;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final Pattern LINE =
      Pattern.compile(
          "(\\d+\\.\\d+\\.)\\S+ (\\S+ \\S+) \\[[^]]*\\] (\"\\S+ )(\\S+)(.*\") (\\d+) (\\d+|-)"
              + " (\".*\") (\".*\")");
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /// A real line, split into its parts.
  private record Parts(
      String network,
      String users,
      String method,
      String path,
      String protocol,
      String status,
      int answerBytes,
      String referrer,
      String agent) {}

  /// The bytes of a line so far.
  private static final class LineBuilder {
    final byte[] bytes = new byte[16 << 10];
    int length;

    void text(byte[] more) {
      System.arraycopy(more, 0, bytes, length, more.length);
      length += more.length;
    }

    void number(long value) {
      int digits = 1;
      for (long rest = value; rest >= 10; rest /= 10) {
        digits++;
      }
      length += digits;
      long rest = value;
      for (int at = length - 1; digits > 0; digits--, at--) {
        bytes[at] = (byte) ('0' + rest % 10);
        rest /= 10;
      }
    }
  }

  private final SplittableRandom random;
  private final long eventsPerSecond;
  private final double lateShare;
  private final long startNanos;
  private final List<byte[]> users = new ArrayList<>();
  private final List<byte[]> paths = new ArrayList<>();
  private final List<byte[]> protocols = new ArrayList<>();
  private final List<byte[]> statuses = new ArrayList<>();
  private final int[] answerBytes;
  private final List<byte[]> referrers = new ArrayList<>();
  private final byte[][] clients = new byte[CLIENTS][];
  private final byte[][] agents = new byte[CLIENTS][];
  private final LineBuilder line = new LineBuilder();
  private long made;
  private long stampSecond = Long.MIN_VALUE;
  private byte[] stamp = new byte[0];

  /// @param start time of the first event
  /// @param eventsPerSecond rate of the events' own times
  /// @param lateShare share of the events that are late, 0 to 1
  public AccessLogEvents(
      Path realLog, long seed, Instant start, long eventsPerSecond, double lateShare) {
    this.random = new SplittableRandom(seed);
    this.eventsPerSecond = eventsPerSecond;
    this.lateShare = lateShare;
    this.startNanos = start.getEpochSecond() * NANOS_PER_SECOND + start.getNano();
    List<Parts> parts = read(realLog);
    this.answerBytes = parts.stream().mapToInt(Parts::answerBytes).toArray();
    for (Parts part : parts) {
      users.add(utf8(" " + part.users + " ["));
      protocols.add(utf8(part.protocol + " "));
      paths.add(utf8(" +0000] " + part.method + part.path));
      statuses.add(utf8(part.status + " "));
      referrers.add(utf8(" " + part.referrer + " "));
    }
    for (int i = 0; i < CLIENTS; i++) {
      Parts part = parts.get(random.nextInt(parts.size()));
      clients[i] = utf8(part.network + random.nextInt(256) + "." + random.nextInt(256));
      agents[i] = utf8(part.agent);
    }
  }

  /// With the usual settings: 20 thousand events a second from 2026-11-20T19:00Z, 2 % of them late.
  public static AccessLogEvents of(long seed) {
    return new AccessLogEvents(REAL_LOG, seed, Instant.parse("2026-11-20T19:00:00Z"), 20_000, 0.02);
  }

  /// Number of events generated so far.
  public long made() {
    return made;
  }

  /// Adds up to `count` events, as many as the batch has room for.
  ///
  /// @return events added
  public int fill(EventBatch batch, int count) {
    for (int added = 0; added < count; added++) {
      long nanos = nextNanos();
      nextLine(nanos);
      batch.begin(TYPE, 0, TYPE.length, nanos);
      batch.putString(BODY, 0, BODY.length, line.bytes, 0, line.length);
      Rejection why = batch.end();
      if (why == Rejection.BATCH_FULL) {
        return added;
      }
      if (why != null) {
        throw new IllegalStateException(why.reason());
      }
      made++;
    }
    return count;
  }

  private long nextNanos() {
    long step = NANOS_PER_SECOND / eventsPerSecond;
    long nanos = startNanos + made * step + random.nextLong(step);
    return random.nextDouble() < lateShare ? nanos - random.nextLong(LATE_MAX.toNanos()) : nanos;
  }

  private void nextLine(long nanos) {
    // The lesser of two draws: some clients come often, most seldom.
    int client = Math.min(random.nextInt(CLIENTS), random.nextInt(CLIENTS));
    int request = random.nextInt(paths.size());
    int answer = random.nextInt(paths.size());
    line.length = 0;
    line.text(clients[client]);
    line.text(users.get(request));
    line.text(stamp(Math.floorDiv(nanos, NANOS_PER_SECOND)));
    line.text(paths.get(request));
    if (random.nextInt(3) > 0) {
      line.text(QUERY);
      line.number(random.nextInt(1_000_000));
    }
    line.text(protocols.get(request));
    line.text(statuses.get(answer));
    if (answerBytes[answer] < 0) {
      line.text(NO_BYTES);
    } else {
      line.number(answerBytes[answer] + random.nextInt(1 + answerBytes[answer] / 4));
    }
    line.text(referrers.get(random.nextInt(referrers.size())));
    line.text(agents[client]);
  }

  private byte[] stamp(long second) {
    if (second != stampSecond) {
      stampSecond = second;
      stamp = utf8(STAMP.format(Instant.ofEpochSecond(second)));
    }
    return stamp;
  }

  private static List<Parts> read(Path realLog) {
    List<Parts> parts = new ArrayList<>();
    try {
      for (String text : Files.readAllLines(realLog)) {
        Matcher fields = LINE.matcher(text);
        if (fields.matches()) {
          parts.add(partsOf(fields));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    if (parts.isEmpty()) {
      throw new IllegalArgumentException(realLog + ": no line of an access log");
    }
    return parts;
  }

  private static Parts partsOf(Matcher fields) {
    String bytes = fields.group(7);
    return new Parts(
        fields.group(1),
        fields.group(2),
        fields.group(3),
        fields.group(4),
        fields.group(5),
        fields.group(6),
        bytes.equals("-") ? -1 : Integer.parseInt(bytes),
        fields.group(8),
        fields.group(9));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
