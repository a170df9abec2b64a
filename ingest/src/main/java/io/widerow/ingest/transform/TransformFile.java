package io.widerow.ingest.transform;

import io.widerow.event.EventBatch;
import io.widerow.ingest.config.FileVersion;
import io.widerow.ingest.config.SecretFile;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.BatchTransform;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The file of transforms while the daemon runs. A changed file takes effect within a second or
/// two, for later batches. An invalid file is logged once, and the previous transforms stay in
/// force: a mistake in an editor must not let redacted text through.
///
/// - Threads: one calls [#reload], any thread the other methods.
public final class TransformFile implements BatchTransform {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long BYTES_MAX = 1 << 20;
  private static final int IDLE_RUNS_MAX = 64;

  private final Path file;
  private final LongSupplier nowNanos;
  private final LongAdder changed = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private @Nullable FileVersion seen;
  private volatile Loaded loaded;
  private volatile @Nullable String problem;

  /// A version in force, with the idle runs of its rules.
  private record Loaded(TransformSet rules, ArrayBlockingQueue<TransformRun> idle) {}

  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  /// @throws IllegalArgumentException when the file cannot be used; it names file, line and reason
  public TransformFile(Path file, LongSupplier nowNanos) {
    this.file = file;
    this.nowNanos = nowNanos;
    this.seen = FileVersion.of(file);
    this.loaded = load();
  }

  /// Reads a rule file and checks it.
  ///
  /// @throws IllegalArgumentException when it cannot be used; it names file, line and reason
  public static TransformSet read(Path file, long nowNanos) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw unusable(file, "it has more than %d bytes".formatted(BYTES_MAX), null);
      }
      TransformSet rules =
          TransformSet.parse(Files.readString(file, StandardCharsets.UTF_8), nowNanos);
      if (rules.hasKey() && SecretFile.isShared(file)) {
        throw unusable(file, "it has a key and must have mode 0600", null);
      }
      return rules;
    } catch (TransformMistake mistake) {
      throw unusable(file, String.valueOf(mistake.getMessage()), mistake);
    } catch (CharacterCodingException noText) {
      throw unusable(file, "it is not UTF-8", noText);
    } catch (IOException unreadable) {
      throw unusable(file, "cannot be read: " + FailureReason.of(unreadable), unreadable);
    }
  }

  private static IllegalArgumentException unusable(
      Path file, String why, @Nullable Throwable cause) {
    return new IllegalArgumentException("transforms: %s: %s".formatted(file, why), cause);
  }

  private Loaded load() {
    return new Loaded(read(file, nowNanos.getAsLong()), new ArrayBlockingQueue<>(IDLE_RUNS_MAX));
  }

  /// Reads the file again if it has changed.
  public void reload() {
    FileVersion now = FileVersion.of(file);
    if (now == null || now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      loaded = load();
      problem = null;
      LOG.log(
          Level.INFO,
          "transforms: reloaded {0}, {1} rules",
          new Object[] {file, Integer.toString(loaded.rules.size())});
    } catch (IllegalArgumentException unusable) {
      problem = String.valueOf(unusable.getMessage());
      LOG.log(Level.WARNING, "{0}; the old rules stay in force", problem);
    }
  }

  @Override
  public void apply(IncomingBatch batch, EventBatch spare) {
    Loaded now = loaded;
    TransformRun idle = now.idle.poll();
    TransformRun run = idle != null ? idle : new TransformRun(now.rules);
    run.apply(batch, spare);
    changed.add(run.changed());
    dropped.add(run.dropped());
    refused.add(run.refused());
    boolean _ = now.idle.offer(run);
  }

  public Path file() {
    return file;
  }

  /// The number of rules in force.
  public int rules() {
    return loaded.rules.size();
  }

  /// Why the file as it is now is not in force; null when it is.
  public @Nullable String problem() {
    return problem;
  }

  /// Events changed since the start.
  public long changed() {
    return changed.sum();
  }

  /// Events dropped since the start.
  public long dropped() {
    return dropped.sum();
  }

  /// Events refused since the start, because they were too large after the rules.
  public long refused() {
    return refused.sum();
  }
}
