package io.widerow.cli.ship;

import io.widerow.ingest.decode.Swar;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Follows files: each record is stored exactly once, whatever ends this program or the daemon.
///
/// ```
///   look at files --> read a batch of each --> checkpoint: pending ---> send --> acknowledged
///        ^                                     (forced)                    |
///        +------------- the next checkpoint has the acknowledged ones <----+
/// ```
///
/// A batch is in the checkpoint before it is sent. After a crash it is made again from the same
/// bytes and has the same key, so that the daemon knows whether it has it.
///
/// While batches are sent the next ones are read, if there is more to read.
///
/// - Threads: one.
/// - Memory: the JSON of two rounds, [#ROUND_BYTES_MAX] each and one batch more.
final class Follower {
  private static final int ROUND_BYTES_MAX = 16 << 20;
  private static final long DISCOVER_NANOS = 1_000_000_000L;
  private static final long FULL_DISK_NANOS = 1_000_000_000L;

  private final ShipPlan plan;
  private final CheckpointDirectory directory;
  private final Sender sender;
  private final Tally tally;
  private final Console console;
  private final StopSignal stop;
  private final FileWatch watch;
  private final RecordReader reader;
  private final byte[] buffer;
  private String salt = UUID.randomUUID().toString();
  private int turn; // the file that is read first in the next round
  private long statusNanos = System.nanoTime();
  private long discoverNanos;
  private boolean changed; // since the last checkpoint
  private String statusLast = "";

  Follower(
      ShipPlan plan,
      CheckpointDirectory directory,
      Sender sender,
      Tally tally,
      Console console,
      StopSignal stop) {
    this.plan = plan;
    this.directory = directory;
    this.sender = sender;
    this.tally = tally;
    this.console = console;
    this.stop = stop;
    this.watch = new FileWatch(plan, console);
    this.reader = new RecordReader(plan.rules());
    this.buffer = new byte[plan.rules().batchBytes() + Swar.SLACK_BYTES];
  }

  /// Runs until it is asked to end; with [ShipPlan#once] until all is read.
  void run() throws IOException {
    Map<FollowedFile, FileBatch> round = restore();
    while (!stop.isAsked()) {
      if (round.isEmpty()) {
        boolean moved = watch.look(System.nanoTime());
        if (moved || System.nanoTime() - discoverNanos >= DISCOVER_NANOS || discoverNanos == 0) {
          watch.discover(System.nanoTime());
          discoverNanos = System.nanoTime();
        }
        round = collect();
      }
      if (round.isEmpty()) {
        if (plan.once() && atEnd()) {
          break;
        }
        pause();
      } else {
        round = send(round);
      }
      status();
    }
    if (changed) {
      save(true);
    }
    watch.tellCut();
    for (FollowedFile file : watch.files()) {
      file.closeFile();
    }
  }

  /// Takes over the checkpoint of the run before.
  ///
  /// @return the batches in progress
  private Map<FollowedFile, FileBatch> restore() throws IOException {
    Map<FollowedFile, FileBatch> round = new HashMap<>();
    Checkpoint before = directory.read();
    if (before == null) {
      changed = true;
      return round;
    }
    salt = before.salt();
    for (var underWay : watch.restore(before).entrySet()) {
      FollowedFile file = underWay.getKey();
      Checkpoint.UnderWay was = underWay.getValue();
      FileBatch batch = file.again(reader, buffer, salt, was);
      if (batch == null) {
        watch.tellUnknown(file, was.until() - file.position);
        changed = true;
      } else {
        round.put(file, batch);
      }
    }
    return round;
  }

  /// Reads one batch of each file that has more, up to a limit for all.
  private Map<FollowedFile, FileBatch> collect() throws IOException {
    Map<FollowedFile, FileBatch> round = new HashMap<>();
    List<FollowedFile> files = watch.files();
    long bytes = 0;
    int count = files.size();
    for (int i = 0; i < count && bytes < ROUND_BYTES_MAX; i++) {
      FollowedFile file = files.get((turn + i) % count);
      FileBatch batch = next(file);
      if (batch != null) {
        round.put(file, batch);
        bytes += batch.json.length;
      }
    }
    turn = count == 0 ? 0 : (turn + 1) % count;
    return round;
  }

  private @Nullable FileBatch next(FollowedFile file) {
    if (file.done || (file.atEnd && !mayFlush(file)) || waitsForOther(file)) {
      return null;
    }
    try {
      return file.next(reader, buffer, salt, nowNanos(), mayFlush(file));
    } catch (FollowedFile.ChangedException truncated) {
      watch.restart(file, "was truncated");
      changed = true;
      return null;
    } catch (IOException failed) {
      console.tell(file + ": cannot be read: " + FailureReason.of(failed));
      return null;
    }
  }

  private static boolean waitsForOther(FollowedFile file) {
    FollowedFile other = file.before;
    if (other == null) {
      return false;
    }
    boolean read = other.done || (other.atEnd && other.position == other.acked);
    file.before = read ? null : other;
    return !read;
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /// Whether an open record at the end of a file counts as complete: the file has not grown for
  /// long enough.
  private boolean mayFlush(FollowedFile file) {
    if (file.position >= file.sizeBytes) {
      return false;
    }
    long quiet = System.nanoTime() - file.grownNanos;
    if (plan.once() || quiet >= plan.closeAfterNanos()) {
      return true;
    }
    if (quiet < Math.min(plan.flushAfterNanos(), plan.flushLineAfterNanos())) {
      return false;
    }
    try {
      return quiet
          >= (file.endsWithNewline() ? plan.flushAfterNanos() : plan.flushLineAfterNanos());
    } catch (IOException failed) {
      console.tell(file + ": cannot be read: " + FailureReason.of(failed));
      return false;
    }
  }

  private boolean atEnd() {
    return watch.files().stream().allMatch(file -> file.done || file.position >= file.sizeBytes);
  }

  /// Sends a round, and reads the next one concurrently when a file has more.
  ///
  /// @return the next round
  private Map<FollowedFile, FileBatch> send(Map<FollowedFile, FileBatch> round) throws IOException {
    round.forEach((file, batch) -> file.underWay = batch);
    if (!save(false)) {
      return Map.of();
    }
    List<FileBatch> sent = new ArrayList<>();
    for (Map.Entry<FollowedFile, FileBatch> one : round.entrySet()) {
      FileBatch batch = one.getValue();
      if (batch.events > 0) {
        sent.add(batch);
      } else {
        tally.passed(batch.until - batch.from); // blank lines
        one.getKey().acknowledged(batch);
      }
    }
    List<Sender.Sending<FileBatch>> sending = sender.start(sent);
    boolean more = round.values().stream().anyMatch(batch -> batch.full);
    Map<FollowedFile, FileBatch> next = more && !stop.isAsked() ? collect() : Map.of();
    await(sending, round);
    if (!more) {
      pause();
    }
    return next;
  }

  private void await(List<Sender.Sending<FileBatch>> sending, Map<FollowedFile, FileBatch> round) {
    Map<FileBatch, FollowedFile> files = new HashMap<>();
    round.forEach((file, batch) -> files.put(batch, file));
    for (Sender.Sending<FileBatch> one : sending) {
      FollowedFile file = files.get(one.batch());
      if (file != null && sender.await(one, this::status)) {
        watch.acknowledged(file, one.batch());
        changed = true;
      }
    }
  }

  /// Writes the checkpoint. Waits while it cannot be written, as on a full disk: nothing is sent
  /// that is not in it.
  ///
  /// @param last whether this is the last try
  private boolean save(boolean last) throws IOException {
    boolean told = false;
    while (true) {
      try {
        directory.write(new Checkpoint(salt, watch.knownPatterns(), watch.entries()));
        if (told) {
          console.tell("the checkpoint is written again");
        }
        changed = false;
        return true;
      } catch (IOException failed) {
        if (last) {
          throw failed;
        }
        if (!told) {
          told = true;
          console.tell(
              "the checkpoint cannot be written, and nothing is sent until it is: " + failed);
        }
        if (stop.await(FULL_DISK_NANOS)) {
          return false;
        }
      }
    }
  }

  private void pause() throws IOException {
    if (changed) {
      boolean _ = save(false);
    }
    watch.closeIdle(System.nanoTime());
    if (!plan.once()) {
      boolean _ = stop.await(plan.pollNanos());
    }
  }

  /// Reports the progress, when something has changed.
  private void status() {
    long now = System.nanoTime();
    if (now - statusNanos < plan.statusNanos()) {
      return;
    }
    statusNanos = now;
    int files = 0;
    long behind = 0;
    for (FollowedFile file : watch.files()) {
      files += file.done ? 0 : 1;
      behind += Math.max(0, file.sizeBytes - file.acked);
    }
    String state = files + " " + tally.events() + " " + behind;
    String line = tally.status(files, behind);
    if (console.isTerminal()) {
      console.show(line);
    } else if (!state.equals(statusLast)) {
      console.tell(line);
    }
    statusLast = state;
  }
}
