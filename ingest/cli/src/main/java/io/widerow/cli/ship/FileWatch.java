package io.widerow.cli.ship;

import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The followed files: finds new ones, and detects changes of known ones.
///
/// | change | detected by | action |
/// |---|---|---|
/// | renamed | its inode has another name in its directory | followed under that name |
/// | deleted | its inode has no name | read to its end, then closed |
/// | truncated | smaller, or other bytes before the position | read again from 0 |
/// | copied, then truncated | `app.log.1` has the bytes of `app.log` | its rest is read |
/// | compressed | magic bytes of gzip or zstd | not read |
/// | new | a name or glob leads to it | read from 0, at the first start from `--from` |
///
/// - Threads: one.
final class FileWatch {
  private static final Duration ENDED_KEPT = Duration.ofDays(1);
  private static final Duration GONE_KEPT = Duration.ofHours(1);
  private static final String ROTATION = "[-._]\\d.*"; // what follows the name of a file
  private static final int RELOCATE_PASSES = 3;
  private static final int COPY_BYTES_MIN = 64; // shorter beginnings are equal by chance

  private final ShipPlan plan;
  private final FilePatterns patterns;
  private final Console console;
  private final List<FollowedFile> files = new ArrayList<>();
  private final List<Checkpoint.Entry> ended = new ArrayList<>();
  private final Map<FileBatch, Checkpoint.Entry> cut = new HashMap<>(); // of batches in progress
  private final Set<String> known = new HashSet<>(); // patterns of earlier scans
  private final Set<String> told = new HashSet<>();

  FileWatch(ShipPlan plan, Console console) {
    this.plan = plan;
    this.patterns = new FilePatterns(plan.excluded());
    this.console = console;
  }

  List<FollowedFile> files() {
    return files;
  }

  private void tellOnce(String sentence) {
    if (told.add(sentence)) {
      console.tell(sentence);
    }
  }

  // The checkpoint

  List<String> knownPatterns() {
    return known.stream().sorted().toList();
  }

  /// The state for a later run: existing files, and for a while deleted ones.
  List<Checkpoint.Entry> entries() {
    Instant now = Instant.now();
    long goneBefore = now.minus(GONE_KEPT).getEpochSecond();
    long endedBefore = now.minus(ENDED_KEPT).getEpochSecond();
    files.removeIf(file -> file.done && file.seenSeconds < goneBefore && file.underWay == null);
    ended.removeIf(entry -> entry.seenSeconds() < endedBefore);
    List<Checkpoint.Entry> entries = new ArrayList<>(ended);
    files.forEach(file -> entries.add(file.entry()));
    return entries;
  }

  /// Takes over what the run before knew, and finds its files.
  ///
  /// @return the files with their batches in progress
  Map<FollowedFile, Checkpoint.UnderWay> restore(Checkpoint checkpoint) throws IOException {
    known.addAll(checkpoint.patterns());
    Map<FollowedFile, Checkpoint.UnderWay> underWay = new HashMap<>();
    for (Checkpoint.Entry entry : checkpoint.files()) {
      if (entry.ended()) {
        ended.add(entry);
        continue;
      }
      FollowedFile file = known(entry);
      files.add(file);
      locate(file, entry);
      Checkpoint.UnderWay batch = entry.underWay();
      if (batch != null && file.generation == entry.generation()) {
        underWay.put(file, batch);
      } else if (batch != null) {
        tellUnknown(file, batch.until() - entry.offset());
      }
    }
    return underWay;
  }

  void tellUnknown(FollowedFile file, long bytes) {
    String why = "%s: %d bytes that were sent last cannot be read again; ".formatted(file, bytes);
    console.tell(why + "it is unknown if they were stored");
  }

  private static byte[] tail(Checkpoint.Entry entry) {
    return HexFormat.of().parseHex(entry.tail());
  }

  private FollowedFile known(Checkpoint.Entry entry) {
    Path name = Path.of(entry.name());
    FollowedFile file = new FollowedFile(name, plan.labels(name), entry.identity());
    file.path = Path.of(entry.path());
    file.generation = entry.generation();
    file.first = entry.first();
    file.sizeBytes = entry.sizeBytes();
    file.seenSeconds = entry.seenSeconds();
    file.start(entry.offset(), tail(entry), entry.timeNanos());
    return file;
  }

  /// Finds a file of the run before by its identity, and looks whether it is still the same.
  private void locate(FollowedFile file, Checkpoint.Entry entry) throws IOException {
    FileIdentity.Seen seen = find(file);
    if (file.path == null) {
      file.done = true;
      if (entry.sizeBytes() > entry.offset()) {
        console.tell(
            "%s is gone, and its last %d bytes at least were not sent"
                .formatted(file, entry.sizeBytes() - entry.offset()));
      }
      return;
    }
    long size = seen == null ? entry.sizeBytes() : seen.sizeBytes();
    boolean replaced =
        file.canRead() && !(file.hasFirst(entry.first()) && file.hasTail(file.position, file.tail));
    if (size < file.position || replaced) {
      restart(file, "was truncated or replaced");
    }
    if (size == file.position) {
      file.closeFile();
    }
  }

  /// Finds a file by its inode and opens it: under its last path or, when it has another name by
  /// now, under that. It looks more than once, because a rotation may rename it in between.
  ///
  /// @return null when it is gone
  private static FileIdentity.@Nullable Seen find(FollowedFile file) throws IOException {
    for (int pass = 0; ; pass++) {
      Path path = file.path;
      FileIdentity.Seen seen = path == null ? null : FileIdentity.look(path);
      if (seen == null || seen.identity().inode() != file.identity.inode()) {
        relocate(file);
        Path now = file.path;
        seen = now == null ? null : FileIdentity.look(now);
      } else {
        file.identity = seen.identity(); // a device may have another number after a restart
      }
      if (file.path == null || file.canRead() || pass == RELOCATE_PASSES) {
        return seen;
      }
    }
  }

  // Changes of the known files

  /// Looks at all known files.
  ///
  /// @return whether a name leads to another file than before
  boolean look(long nanoTime) throws IOException {
    boolean moved = false;
    for (FollowedFile file : files) {
      if (!file.done) {
        moved |= look(file, nanoTime);
      }
    }
    return moved;
  }

  private boolean look(FollowedFile file, long nanoTime) throws IOException {
    Path path = file.path;
    FileIdentity.Seen seen = path == null ? null : FileIdentity.look(path);
    boolean moved = false;
    if (path != null && (seen == null || !seen.identity().equals(file.identity))) {
      moved = true;
      relocate(file);
      Path now = file.path;
      seen = now == null ? null : FileIdentity.look(now);
    }
    long size = seen == null ? file.openSizeBytes() : seen.sizeBytes();
    if (seen != null) {
      file.seenSeconds = Instant.now().getEpochSecond();
    }
    if (size < file.position) {
      restart(file, "was truncated");
    }
    boolean touched = seen != null && !seen.changed().equals(file.changed);
    if (size != file.sizeBytes || touched || file.grownNanos == 0) {
      file.sizeBytes = size;
      file.grownNanos = nanoTime;
      file.atEnd = false;
      if (touched && size == file.position) {
        if (!file.canRead()) {
          return moved; // renamed just now: looked at again, since its time of change is not taken
        }
        if (!file.hasTail(file.position, file.tail)) {
          restart(file, "was truncated");
        }
      }
      file.changed = seen == null ? file.changed : seen.changed();
    }
    return moved;
  }

  /// Looks for another name of the file in its directory. More than once, because a rotation that
  /// renames many may be at work.
  private static void relocate(FollowedFile file) throws IOException {
    Path path = file.path;
    Path directory = path == null ? null : path.getParent();
    file.path = null;
    for (int pass = 0; directory != null && pass < RELOCATE_PASSES; pass++) {
      for (Path other : FilePatterns.children(directory)) {
        FileIdentity.Seen seen = FileIdentity.look(other);
        if (seen != null && seen.identity().inode() == file.identity.inode()) {
          file.identity = seen.identity();
          file.path = other;
          return;
        }
      }
    }
  }

  /// Begins a file again, and keeps its acknowledged position: a copy may have the rest. A batch in
  /// progress counts, too, when it is [#acknowledged].
  void restart(FollowedFile file, String why) {
    if (file.position > 0) {
      console.tell(file + " " + why + ": it is read again from its start");
      Checkpoint.Entry entry = ended(file.entry(), file.acked, file.ackedTail, file.ackedTimeNanos);
      ended.add(entry);
      FileBatch batch = file.underWay;
      if (batch != null) {
        cut.put(batch, entry);
      }
    }
    file.restart();
  }

  private static Checkpoint.Entry ended(
      Checkpoint.Entry entry, long offset, byte[] tail, long timeNanos) {
    return new Checkpoint.Entry(
        entry.path(),
        entry.name(),
        entry.identity(),
        entry.generation(),
        entry.first(),
        offset,
        HexFormat.of().formatHex(tail),
        timeNanos,
        offset,
        entry.seenSeconds(),
        true,
        null);
  }

  /// A batch of a file was acknowledged.
  void acknowledged(FollowedFile file, FileBatch batch) {
    Checkpoint.Entry before = cut.remove(batch);
    if (before == null) {
      file.acknowledged(batch);
      return;
    }
    ended.remove(before);
    ended.add(ended(before, batch.until, batch.tailAfter, batch.timeAfter));
  }

  /// Reports the unacknowledged bytes of files that were truncated in the meantime.
  void tellCut() {
    cut.forEach((batch, entry) ->
        console.tell(
            "%s: %d bytes were not acknowledged before it was truncated; they are sent when"
                    .formatted(entry.name(), batch.until - batch.from)
                + " this command runs again, if a copy has them"));
  }

  // New files

  /// Looks for files that are not known yet.
  void discover(long nanoTime) throws IOException {
    Map<FileIdentity, FollowedFile> byIdentity = new HashMap<>();
    for (FollowedFile file : files) {
      if (!file.done) {
        byIdentity.put(file.identity, file);
      }
    }
    for (String pattern : plan.patterns()) {
      boolean first = !known.contains(pattern);
      List<Path> found = find(pattern);
      if (found.isEmpty()) {
        tellOnce(pattern + ": no such file yet");
      }
      for (Path path : found) {
        try {
          discover(path, first, byIdentity, nanoTime);
        } catch (IOException denied) {
          tellOnce(path + ": cannot be read: " + FailureReason.of(denied));
        }
      }
      known.add(pattern);
    }
  }

  private List<Path> find(String pattern) {
    try {
      return patterns.find(pattern);
    } catch (IOException denied) {
      tellOnce(pattern + ": cannot be searched: " + FailureReason.of(denied));
      return List.of();
    }
  }

  private void discover(
      Path path, boolean first, Map<FileIdentity, FollowedFile> byIdentity, long nanoTime)
      throws IOException {
    FileIdentity.Seen seen = FileIdentity.look(path);
    if (seen == null) {
      return;
    }
    FollowedFile same = byIdentity.get(seen.identity());
    if (same != null) {
      same.path = same.path == null ? path : same.path;
      return;
    }
    FollowedFile file = new FollowedFile(path, plan.labels(path), seen.identity());
    if (!file.canRead() || !begins(file, first)) { // renamed just now, or not to be read
      file.closeFile();
      return;
    }
    file.sizeBytes = seen.sizeBytes();
    file.changed = seen.changed();
    file.grownNanos = nanoTime;
    file.seenSeconds = Instant.now().getEpochSecond();
    file.before = nameBefore(path);
    byIdentity.put(seen.identity(), file);
    files.add(file);
  }

  /// The file that had this name before, and is not read to its end.
  private @Nullable FollowedFile nameBefore(Path path) {
    for (FollowedFile file : files.reversed()) {
      if (file.name.equals(path) && !file.done && !path.equals(file.path)) {
        return file;
      }
    }
    return null;
  }

  /// Sets where a new file begins. False when it is not read, or not yet.
  private boolean begins(FollowedFile file, boolean firstScan) throws IOException {
    if (file.isCompressed()) {
      tellOnce(file + " is compressed and not followed; widerow ship --once imports it");
      return false;
    }
    FollowedFile gone = goneWithIdentity(file);
    if (gone != null) {
      files.remove(gone);
      file.generation = gone.generation;
      file.first = gone.first;
      file.start(gone.position, gone.tail, gone.timeNanos);
      return true;
    }
    Copy copy = copyOf(file);
    if (copy == Copy.OF_LIVE) {
      tellOnce(file + " looks like a copy of a followed file, and waits for its end");
      return false;
    }
    if (copy == Copy.NONE && firstScan && plan.fromEnd()) {
      file.start(file.lastLineStart(), new byte[0], file.timeNanos);
      file.tail = file.tailAt(file.position);
      file.ackedTail = file.tail;
    }
    return true;
  }

  /// A file that was gone, and is back under a name that is looked for.
  private @Nullable FollowedFile goneWithIdentity(FollowedFile file) throws IOException {
    for (FollowedFile gone : files) {
      if (gone.done
          && gone.identity.equals(file.identity)
          && gone.position > 0
          && file.hasFirst(gone.first)
          && file.hasTail(gone.position, gone.tail)) {
        return gone;
      }
    }
    return null;
  }

  /// The kind of file that a new one may be a copy of.
  private enum Copy {
    NONE,
    OF_LIVE,
    OF_ENDED
  }

  private Copy copyOf(FollowedFile file) throws IOException {
    for (Checkpoint.Entry entry : ended) {
      if (isRotation(file.name, Path.of(entry.name()))
          && entry.first().bytes() >= COPY_BYTES_MIN
          && file.hasFirst(entry.first())
          && file.hasTail(entry.offset(), tail(entry))) {
        file.first = entry.first();
        file.start(entry.offset(), tail(entry), entry.timeNanos());
        ended.remove(entry);
        return Copy.OF_ENDED;
      }
    }
    for (FollowedFile live : files) {
      if (isRotation(file.name, live.name)
          && live.first.bytes() >= COPY_BYTES_MIN
          && file.hasFirst(live.first)
          && (file.isShorterThan(live.position) || file.hasTail(live.position, live.tail))) {
        return Copy.OF_LIVE;
      }
    }
    return Copy.NONE;
  }

  private static boolean isRotation(Path name, Path of) {
    String text = name.toString();
    return text.startsWith(of.toString())
        && text.substring(of.toString().length()).matches(ROTATION);
  }

  /// Closes unneeded files: deleted files that are read to their end, and files that have not grown
  /// for `idleNanos`. A file may have grown since the last look, which is long ago when the daemon
  /// was away: if it was deleted, only the open file has these bytes.
  void closeIdle(long nanoTime) throws IOException {
    for (FollowedFile file : files) {
      boolean idle =
          file.atEnd
              && file.position == file.acked
              && file.openSizeBytes() <= file.position
              && nanoTime - file.grownNanos > plan.closeAfterNanos();
      if (idle && file.isOpen()) {
        file.closeFile();
      }
      if (file.path == null && !file.isOpen() && file.position == file.acked && !file.done) {
        file.done = true;
        if (file.sizeBytes > file.position) {
          console.tell(
              "%s is gone, and its last %d bytes were not sent"
                  .formatted(file, file.sizeBytes - file.position));
        }
      }
    }
  }
}
