package io.widerow.ingest.transform;

import io.widerow.event.EventBatch;
import io.widerow.ingest.config.FileVersion;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.BatchTransform;
import io.widerow.query.SecretFile;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
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
  private List<FileVersion> seen; // of the file, and of each table
  private volatile Loaded loaded;
  private volatile @Nullable String problem;

  /// A version in force, with the idle runs of its rules.
  private record Loaded(
      TransformSet rules, RuleCounts counts, ArrayBlockingQueue<TransformRun> idle) {}

  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  /// @throws IllegalArgumentException when the file cannot be used; it names file, line and reason
  public TransformFile(Path file, LongSupplier nowNanos) {
    this.file = file;
    this.nowNanos = nowNanos;
    FileVersion before = FileVersion.of(file);
    this.loaded = load();
    this.seen = read(before, loaded);
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
          TransformSet.parse(
              Files.readString(file, StandardCharsets.UTF_8),
              nowNanos,
              file.toAbsolutePath().resolveSibling(""));
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
    TransformSet rules = read(file, nowNanos.getAsLong());
    return new Loaded(rules, new RuleCounts(rules.size()), new ArrayBlockingQueue<>(IDLE_RUNS_MAX));
  }

  /// The versions that were read, in the order of [#versions].
  private static List<FileVersion> read(@Nullable FileVersion ofFile, Loaded loaded) {
    List<FileVersion> versions = new ArrayList<>();
    if (ofFile != null) {
      versions.add(ofFile);
    }
    loaded.rules.tables().values().forEach(table -> versions.add(table.version()));
    return versions;
  }

  /// The versions of the file and of the tables that it looks up; empty while one is away: an
  /// editor may be about to replace it.
  private List<FileVersion> versions() {
    List<FileVersion> versions = new ArrayList<>();
    Set<Path> tables = loaded.rules.tables().keySet();
    for (Path each : Stream.concat(Stream.of(file), tables.stream()).toList()) {
      FileVersion version = FileVersion.of(each);
      if (version == null) {
        return List.of();
      }
      versions.add(version);
    }
    return versions;
  }

  /// Reads the file again if it, or a table that it looks up, has changed.
  public void reload() {
    List<FileVersion> now = versions();
    if (now.isEmpty() || now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      FileVersion before = FileVersion.of(file);
      loaded = load();
      seen = read(before, loaded);
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
    run.takeCounts(now.counts);
    boolean _ = now.idle.offer(run);
  }

  public Path file() {
    return file;
  }

  /// The number of rules in force.
  public int rules() {
    return loaded.rules.size();
  }

  /// The counts of a rule in force since it was loaded.
  ///
  /// @param line in the file, from 1
  /// @param changed events that it changed or dropped
  /// @param failed events at which it could not do its work; they are stored as they were
  public record OfRule(int line, long changed, long failed) {}

  /// The counts of each rule in force, in the order of the file.
  public List<OfRule> byRule() {
    Loaded now = loaded;
    List<OfRule> all = new ArrayList<>();
    for (int rule = 0; rule < now.rules.size(); rule++) {
      int line = now.rules.rules().get(rule).line();
      all.add(new OfRule(line, now.counts.changed(rule), now.counts.failed(rule)));
    }
    return all;
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
