package io.widerow.cli.ship;

import io.widerow.cli.ExitCode;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.storage.FailureReason;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Imports files and standard input, plain or compressed, from their beginning to their end.
/// Without a checkpoint: batches are cut by their bytes alone, so that an import that is started
/// again sends the same batches with the same keys, and the daemon knows them for as long as it
/// keeps keys.
///
/// - Threads: one.
/// - Memory: two batches, whatever the size of a file.
final class Importer {
  private static final long SHOW_NANOS = 250_000_000L;

  private final ShipPlan plan;
  private final Sender sender;
  private final Tally tally;
  private final Console console;
  private final StopSignal stop;
  private final String salt;
  private final RecordReader reader;
  private byte[] buffer;
  private byte[] other;
  private long totalBytes; // of all files, as they are on disk; 0 when standard input is one
  private long doneBytes; // of files before this one
  private long shownNanos;
  private Sender.@Nullable Sending<FileBatch> sending;
  private ExitCode worst = ExitCode.OK;

  /// A file, or standard input.
  ///
  /// @param path null for standard input
  record Source(@Nullable Path path) {
    long sizeBytes() throws IOException {
      return path == null ? 0 : Files.size(path);
    }
  }

  Importer(ShipPlan plan, Sender sender, Tally tally, Console console, StopSignal stop) {
    this.plan = plan;
    this.sender = sender;
    this.tally = tally;
    this.console = console;
    this.stop = stop;
    this.salt = plan.rules() + " " + plan.type() + " " + plan.attributes();
    this.reader = new RecordReader(plan.rules());
    this.buffer = new byte[plan.rules().batchBytes() + Swar.SLACK_BYTES];
    this.other = new byte[buffer.length];
  }

  /// Imports all of them.
  ///
  /// @return OK when everything in them was taken by the daemon, or why not
  ExitCode run(List<Source> sources, InputStream standardInput) throws IOException {
    boolean known = sources.stream().noneMatch(source -> source.path() == null);
    for (Source source : known ? sources : List.<Source>of()) {
      totalBytes += source.sizeBytes();
    }
    for (Source source : sources) {
      if (!stop.isAsked()) {
        run(source, standardInput);
      }
    }
    if (stop.isAsked()) {
      return ExitCode.STOPPED;
    }
    return worst == ExitCode.OK && tally.refused() > 0 ? ExitCode.DAMAGE_FOUND : worst;
  }

  private void run(Source source, InputStream standardInput) throws IOException {
    Path path = source.path();
    if (path == null) {
      String type = plan.type() == null ? "stdin" : plan.type();
      FileLabels labels = FileLabels.ofInput(type, plan.attributes());
      read("standard input", labels, UUID.randomUUID().toString(), 0, standardInput);
      return;
    }
    FileIdentity.Seen seen = FileIdentity.look(path);
    long inode = seen == null ? 0 : seen.identity().inode();
    try (InputStream in = Files.newInputStream(path)) {
      FileLabels labels = plan.labels(path);
      read(path.toString(), labels, salt + " " + labels.type(), inode, in);
    }
    doneBytes += source.sizeBytes();
  }

  private void read(String name, FileLabels labels, String keySalt, long inode, InputStream in)
      throws IOException {
    Counted counted = new Counted(in);
    BufferedInputStream packed = new BufferedInputStream(counted, 64 << 10);
    packed.mark(Packing.MAGIC_BYTES);
    byte[] magic = packed.readNBytes(Packing.MAGIC_BYTES);
    packed.reset();
    Packing packing = Packing.of(magic, magic.length);
    try (InputStream plain = Utf16Stream.of(packing.unpack(packed))) {
      read(name, labels, keySalt, inode, plain, counted);
    } catch (EOFException cut) {
      damaged(name, "is cut");
    } catch (IOException failed) {
      if (packing == Packing.NONE) {
        throw failed;
      }
      damaged(name, "is damaged: " + FailureReason.of(failed));
    } finally {
      finish();
    }
  }

  private void damaged(String name, String why) {
    console.tell(name + " " + why + "; its readable events were sent");
    worst = ExitCode.CORRUPT;
  }

  private void read(
      String name,
      FileLabels labels,
      String keySalt,
      long inode,
      InputStream plain,
      Counted counted)
      throws IOException {
    long from = 0;
    long time = TimeParser.NONE;
    int length = 0;
    boolean end = false;
    IOException failure = null;
    while (!(end && length == 0) && !stop.isAsked()) {
      int room = buffer.length - Swar.SLACK_BYTES;
      try {
        while (!end && length < room) {
          int read = plain.read(buffer, length, room - length);
          end = read < 0;
          length += Math.max(0, read);
        }
      } catch (IOException damaged) { // the bytes read before are sent first
        failure = damaged;
        end = true;
      }
      long now = nowNanos();
      RecordReader.Made made = reader.read(buffer, length, labels, time, now, end);
      int count = made.consumed;
      String key = FileBatch.key(keySalt, inode, 0, from, buffer, count);
      send(new FileBatch(name, labels.type(), from, now, key, made, new byte[0], true));
      from += count;
      time = made.timeBefore;
      System.arraycopy(buffer, count, other, 0, length - count);
      byte[] rest = other;
      other = buffer;
      buffer = rest;
      length -= count;
      show(doneBytes + counted.bytes());
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /// Sends a batch when the one before is acknowledged, and does not wait for this one.
  private void send(FileBatch batch) {
    finish();
    if (batch.events == 0) {
      tally.passed(batch.until - batch.from);
    } else if (!stop.isAsked()) {
      sending = sender.start(List.of(batch)).getFirst();
    }
  }

  /// Waits for the batch in progress.
  private void finish() {
    Sender.Sending<FileBatch> last = sending;
    sending = null;
    if (last != null) {
      boolean _ = sender.await(last, () -> {}); // false: the command ends
    }
  }

  private void show(long done) {
    long now = System.nanoTime();
    if (now - shownNanos < (console.isTerminal() ? SHOW_NANOS : plan.statusNanos())) {
      return;
    }
    if (console.isTerminal()) {
      console.show(tally.bar(done, totalBytes));
    } else if (shownNanos != 0) {
      console.tell(tally.bar(done, totalBytes));
    }
    shownNanos = now;
  }

  /// Counts the bytes of a file as they are on disk.
  ///
  /// - Threads: one.
  static final class Counted extends FilterInputStream {
    private long bytes;

    Counted(InputStream in) {
      super(in);
    }

    long bytes() {
      return bytes;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      bytes += read < 0 ? 0 : 1;
      return read;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
      int read = super.read(into, offset, count);
      bytes += Math.max(0, read);
      return read;
    }
  }
}
