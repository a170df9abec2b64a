package io.widerow.cli.ship;

import io.widerow.cli.ExitCode;
import io.widerow.ingest.decode.Sha256;
import io.widerow.query.QueryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Copies a range of a Loki to a daemon, page by page. The state says how far it is, and which page
/// is being sent. After a kill this page is read and sent again with the same keys, so that the
/// daemon recognizes it.
///
/// ```
///   widerow-import-loki 1
///   source URL TENANT SELECTOR          as they were given
///   TEXT                                what makes the keys of its pushes their own
///   range FROM UNTIL NEXT SENDING       nanoseconds; SENDING: the end of the page in progress
/// ```
///
/// - Threads: one.
/// - Memory: a page of Loki and its pushes.
final class LokiImport {
  private static final String VERSION = "widerow-import-loki 1";
  private static final long SHOW_NANOS = 250_000_000L;
  private static final long SHOW_LINES_NANOS = 10_000_000_000L;
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final LokiSource source;
  private final Sender sender;
  private final Tally tally;
  private final Console console;
  private final StopSignal stop;
  private final CheckpointDirectory directory;
  private final String origin;
  private final int batchBytes;
  private String salt = UUID.randomUUID().toString();
  private long fromNanos;
  private long untilNanos;
  private long nextNanos;
  private long sendingNanos; // equal to `nextNanos` when nothing is in progress
  private long shownNanos = System.nanoTime();

  /// @param origin the source, its tenant and the selector: what a state belongs to
  LokiImport(
      LokiSource source,
      Sender sender,
      Tally tally,
      Console console,
      StopSignal stop,
      CheckpointDirectory directory,
      String origin,
      int batchBytes) {
    this.source = source;
    this.sender = sender;
    this.tally = tally;
    this.console = console;
    this.stop = stop;
    this.directory = directory;
    this.origin = origin;
    this.batchBytes = batchBytes;
  }

  /// Begins, or continues where an earlier run was.
  ///
  /// @param from first time; null for that of the earlier run
  /// @param until first time after; null for that of the earlier run, else `now`
  void begin(@Nullable Long from, @Nullable Long until, long now) throws IOException {
    byte[] state = directory.readBytes();
    if (state == null) {
      if (from == null) {
        throw new QueryException.Refused("from", "is missing: name the first time to copy");
      }
      fromNanos = from;
      untilNanos = until == null ? now : until;
      nextNanos = from;
      sendingNanos = from;
      return;
    }
    String[] lines = new String(state, StandardCharsets.UTF_8).split("\n", -1);
    String[] range = lines.length < 4 ? new String[0] : lines[3].split(" ", -1);
    if (!lines[0].equals(VERSION) || range.length != 5) {
      throw new QueryException.Refused(
          "state", "not a state of this command: " + lines[0] + "; name another directory");
    }
    salt = lines[2];
    fromNanos = Long.parseLong(range[1]);
    untilNanos = Long.parseLong(range[2]);
    nextNanos = Long.parseLong(range[3]);
    sendingNanos = Long.parseLong(range[4]);
    boolean isOther = !lines[1].equals("source " + origin) || (from != null && from != fromNanos);
    if (isOther || (until != null && until < untilNanos)) {
      throw new QueryException.Refused(
          "state",
          "is of another import: %s from %d until %d; name another directory"
              .formatted(lines[1], fromNanos, untilNanos));
    }
    untilNanos = until == null ? untilNanos : until; // a later end continues
  }

  long fromNanos() {
    return fromNanos;
  }

  long untilNanos() {
    return untilNanos;
  }

  private void save() throws IOException {
    String state =
        "%s\nsource %s\n%s\nrange %d %d %d %d\n"
            .formatted(VERSION, origin, salt, fromNanos, untilNanos, nextNanos, sendingNanos);
    directory.write(state.getBytes(StandardCharsets.UTF_8));
  }

  /// @return OK when the daemon has every line of the range, or why not
  ExitCode run() throws IOException {
    save();
    while (nextNanos < untilNanos && !stop.isAsked()) {
      boolean isRetry = sendingNanos > nextNanos;
      LokiSource.Page page = isRetry ? again() : source.next(nextNanos, untilNanos);
      if (page == null || !send(page)) {
        break;
      }
      show();
    }
    save();
    if (nextNanos < untilNanos) {
      return ExitCode.STOPPED;
    }
    return tally.refused() > 0 ? ExitCode.DAMAGE_FOUND : ExitCode.OK;
  }

  /// The page that was in progress; null when the command is to end.
  private LokiSource.@Nullable Page again() {
    List<LokiLine> lines = new ArrayList<>();
    long at = nextNanos;
    while (at < sendingNanos) {
      LokiSource.Page page = source.next(at, sendingNanos);
      if (page == null) {
        return null;
      }
      lines.addAll(page.lines());
      at = page.untilNanos();
    }
    return new LokiSource.Page(lines, sendingNanos);
  }

  /// Sends a page. False when the command is to end before it is acknowledged.
  private boolean send(LokiSource.Page page) throws IOException {
    if (!page.lines().isEmpty()) {
      sendingNanos = page.untilNanos();
      save();
      List<LokiLine> batch = new ArrayList<>();
      long bytes = 0;
      int number = 0;
      for (LokiLine line : page.lines()) {
        batch.add(line);
        bytes += line.bytes();
        if (bytes >= batchBytes) {
          if (!deliver(batch, number++)) {
            return false;
          }
          batch.clear();
          bytes = 0;
        }
      }
      if (!batch.isEmpty() && !deliver(batch, number)) {
        return false;
      }
    }
    nextNanos = page.untilNanos();
    sendingNanos = nextNanos;
    if (!page.lines().isEmpty()) {
      save();
    }
    return true;
  }

  private boolean deliver(List<LokiLine> lines, int number) {
    MessageDigest digest = Sha256.start();
    String page = "%s %d %d %d".formatted(salt, nextNanos, sendingNanos, number);
    String key = HexFormat.of().formatHex(digest.digest(page.getBytes(StandardCharsets.UTF_8)));
    LokiBatch batch = LokiBatch.of(key, lines);
    return sender.await(sender.start(List.of(batch)).getFirst(), () -> {});
  }

  private void show() {
    long now = System.nanoTime();
    if (now - shownNanos < (console.isTerminal() ? SHOW_NANOS : SHOW_LINES_NANOS)) {
      return;
    }
    shownNanos = now;
    double share = (double) (nextNanos - fromNanos) / (untilNanos - fromNanos);
    String line =
        String.format(
            Locale.ROOT,
            "%3d %%  %s  %,d lines",
            (int) (100 * share),
            Instant.ofEpochSecond(Math.floorDiv(nextNanos, SECOND_NANOS)),
            tally.events());
    if (console.isTerminal()) {
      console.show(line);
    } else {
      console.tell(line);
    }
  }
}
