package io.widerow.storage.objects;

import io.widerow.storage.StorageException;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Moves the old segments of an open store to a place, one after the other, and deletes the objects
/// that no segment needs any more.
///
/// ```
///   checked here -> PUT -> read back -> stub -> file deleted
///   dropped here -> trash: names -> a day later, looked at again: deleted
/// ```
///
/// An object is what a file was, byte for byte, under the name that a backup gives it: a backup
/// under the same prefix needs no second one. Such a backup also deletes, since it knows which
/// moments need an object; without one this does.
///
/// - Threads: one calls [#step]; any thread the rest.
public final class ColdMover {
  private static final int DELETIONS = 200; // after a look at the owner
  private static final int NAMES_MAX = 10_000;
  private static final String SEGMENTS = Manifest.SEGMENTS + "/";
  private static final Pattern OBJECT =
      Pattern.compile(SEGMENTS + "[0-9a-f]{16}-[0-9a-f]{16}\\.seg");

  private final ColdControl cold;
  private final ObjectStore objects;
  private final ColdOptions options;
  private final LongSupplier monotonic;
  private final Retry retry;
  private final Retry sweepRetry;
  private final Set<Long> damaged = new HashSet<>(); // segments; guarded by this
  private volatile @Nullable String ended; // why it never goes on
  private volatile long pendingBytes;
  private @Nullable Owner owner; // guarded by this
  private long sweptAt; // guarded by this
  private volatile @Nullable Left left; // null before the first look for objects that may go

  /// What it is doing.
  ///
  /// @param state `ok`, `away` or `other-owner`
  /// @param segments number of cold segments
  /// @param bytes of them
  /// @param pendingBytes of segments that should have moved
  /// @param cacheBytes of pieces on the disk
  /// @param cacheReason why none is kept there; null when nothing is wrong
  /// @param reason the last failure; null after a success
  public record Status(
      String state,
      String at,
      long segments,
      long bytes,
      long pendingBytes,
      long cacheBytes,
      @Nullable String cacheReason,
      @Nullable String reason) {}

  /// Objects that are there and that no segment needs.
  ///
  /// @param nanos of the wall clock when they were looked for
  /// @param files names of the files that they were
  private record Left(long nanos, Set<String> files) {}

  /// A segment whose object is not what was put.
  ///
  /// @param found what is wrong, as a sentence
  public record Bad(ColdControl.Cold segment, String found) {}

  /// Objects that were looked at.
  public record Verified(int segments, long bytes, List<Bad> bad) {
    public Verified {
      bad = List.copyOf(bad);
    }
  }

  /// Segments that were fetched back.
  public record Recalled(int segments, long bytes) {}

  public ColdMover(
      ColdControl cold, ObjectStore objects, ColdOptions options, LongSupplier monotonic) {
    this.cold = cold;
    this.objects = objects;
    this.options = options;
    this.monotonic = monotonic;
    this.retry = new Retry(monotonic);
    this.sweepRetry = new Retry(monotonic);
    this.sweptAt = monotonic.getAsLong() - options.sweepEvery().toNanos();
  }

  /// Moves the next segment, if one is due; else looks for objects that may go, if it is time to.
  ///
  /// @return whether a segment was moved
  /// @throws InterruptedException when the thread was interrupted while it waited
  public synchronized boolean step() throws InterruptedException {
    if (ended != null || !retry.isDue(monotonic.getAsLong())) {
      return false;
    }
    pendingBytes = cold.pendingBytes(options.choice());
    try {
      Owner mine = owner;
      if (mine == null && (pendingBytes > 0 || !cold.all().isEmpty() || mayHaveLeft())) {
        mine = Owner.claim(objects, Owner.COLD, mark(), options.host(), cold.now(), false);
        owner = mine;
      }
      if (mine == null) {
        return false;
      }
      boolean moved = moveNext(mine);
      retry.succeeded();
      if (!moved) {
        sweep(mine);
      }
      return moved;
    } catch (ObjectsException.OtherOwner lost) {
      ended = String.valueOf(lost.getMessage());
    } catch (ObjectsException | StorageException failure) {
      retry.failed(failure);
    }
    return false;
  }

  private UUID mark() {
    return BackupMark.of(cold.disk(), cold.directory());
  }

  /// True when this directory has moved segments before, and objects of them may be left.
  private boolean mayHaveLeft() {
    if (!isTimeToSweep()) {
      return false;
    }
    long now = cold.now();
    Owner before = Owner.now(objects, Owner.COLD);
    if (before != null && before.mark().equals(mark())) {
      return true;
    }
    left = new Left(now, Set.of());
    sweptAt = monotonic.getAsLong();
    return false;
  }

  private boolean isTimeToSweep() {
    return monotonic.getAsLong() - sweptAt >= options.sweepEvery().toNanos();
  }

  private boolean moveNext(Owner mine) throws InterruptedException {
    cold.deciding().lock(); // no backup decides meanwhile that an object may go
    try (ColdControl.Held next = cold.next(options.choice(), damaged::contains)) {
      if (next == null) {
        return false;
      }
      try {
        next.verify();
      } catch (StorageException.Corrupt found) {
        damaged.add(next.id());
        throw found;
      }
      FileContent content = FileContent.of(cold.disk(), next.path());
      String sha256 = ContentDigest.of(content);
      mine.require(objects);
      put(next.object(sha256), content, sha256);
      boolean _ = next.moved(objects.toString(), sha256);
      pendingBytes = cold.pendingBytes(options.choice());
      return true;
    } finally {
      cold.deciding().unlock();
    }
  }

  /// Puts an object unless it is there, and reads it back.
  private void put(String object, FileContent content, String sha256) {
    ObjectStore.Found there = objects.head(object);
    if (there != null && there.bytes() == content.bytes() && hasHash(object, sha256)) {
      return; // of a move that was cut off, or of a backup
    }
    objects.put(object, content);
    if (!hasHash(object, sha256)) {
      throw new ObjectsException.Damaged(object, "what was put there reads back as something else");
    }
  }

  private boolean hasHash(String object, String sha256) {
    try (InputStream in = objects.open(object)) {
      return in != null && ContentDigest.of(in).equals(sha256);
    } catch (IOException failure) {
      throw new ObjectsException.Away("%s: %s: %s".formatted(objects, object, failure), failure);
    }
  }

  /// Lets objects go that no segment needs. A failure does not hold up moves.
  private void sweep(Owner mine) {
    long now = monotonic.getAsLong();
    if (!isTimeToSweep() || !sweepRetry.isDue(now)) {
      return;
    }
    cold.deciding().lock();
    try {
      if (Owner.now(objects, Owner.OBJECT) == null) {
        sweep(mine, cold.all().stream().map(ColdControl.Cold::object).collect(Collectors.toSet()));
      }
      sweptAt = now;
      sweepRetry.succeeded();
    } catch (ObjectsException.OtherOwner lost) {
      throw lost;
    } catch (ObjectsException failure) {
      sweepRetry.failed(failure);
    } finally {
      cold.deciding().unlock();
    }
  }

  private void sweep(Owner mine, Set<String> needed) {
    long now = cold.now();
    Set<String> waiting = new HashSet<>();
    Predicate<String> mayGo = name -> OBJECT.matcher(name).matches() && !needed.contains(name);
    for (Trash trash : BackupRetention.trash(objects)) {
      if (now - trash.nanos() < options.grace().toNanos()) {
        waiting.addAll(trash.names());
        continue;
      }
      int more = 0;
      for (String name : trash.names().stream().filter(mayGo).toList()) {
        if (more-- == 0) {
          mine.require(objects);
          more = DELETIONS;
        }
        objects.delete(name);
      }
      mine.require(objects);
      objects.delete(trash.name());
    }
    List<String> there = objects.list(SEGMENTS).stream().filter(mayGo).toList();
    List<String> names =
        there.stream().filter(name -> !waiting.contains(name)).limit(NAMES_MAX).toList();
    if (!names.isEmpty()) {
      mine.require(objects);
      var trash = new Trash(mine.epoch(), now, names);
      objects.put(trash.name(), new BytesContent(trash.toBytes()));
    }
    left = new Left(now, there.stream().map(ColdMover::file).collect(Collectors.toSet()));
  }

  /// The name of the file that an object was.
  private static String file(String object) {
    return object.substring(SEGMENTS.length(), object.indexOf('-')) + SegmentEntry.SUFFIX;
  }

  /// True when the place may still have the object of a segment that is not needed since a time.
  ///
  /// @param files names of segment files
  /// @param nanos of the wall clock, since the Unix epoch
  public boolean mayHave(List<String> files, long nanos) {
    Left last = left;
    return !files.isEmpty()
        && (last == null || last.nanos < nanos || files.stream().anyMatch(last.files::contains));
  }

  /// The URL of the place.
  public String at() {
    return objects.toString();
  }

  /// Fetches cold segments back: they stay for a day at least, unless the store is opened again.
  ///
  /// @throws StorageException when the disk has no room, or the store is being closed
  /// @throws InterruptedException when the thread was interrupted while it waited
  public Recalled recall(Predicate<ColdControl.Cold> wanted) throws InterruptedException {
    List<ColdControl.Cold> all = new ArrayList<>(cold.all());
    all.removeIf(wanted.negate());
    long needed = all.stream().mapToLong(ColdControl.Cold::bytes).sum();
    long usable = cold.disk().usableBytes(cold.directory());
    if (usable < needed) {
      throw new StorageException.DiskFull(cold.directory(), usable, needed);
    }
    int segments = 0;
    long bytes = 0;
    for (ColdControl.Cold each : all) {
      try (ColdControl.Held held = cold.hold(each)) {
        if (held != null) {
          FetchedFile.make(
              objects, each.object(), each.bytes(), each.sha256(), cold.disk(), held.temporary());
          if (held.recalled()) {
            segments++;
            bytes += each.bytes();
          }
        }
      }
    }
    return new Recalled(segments, bytes);
  }

  /// Looks at the objects of cold segments.
  ///
  /// @param whole whether each is read and compared with its digest, instead of its size alone
  /// @throws ObjectsException.Away when the place cannot be used
  public Verified verify(Predicate<ColdControl.Cold> wanted, boolean whole) {
    int segments = 0;
    long bytes = 0;
    List<Bad> bad = new ArrayList<>();
    for (ColdControl.Cold each : cold.all()) {
      if (wanted.test(each)) {
        String found = found(each, whole);
        if (found == null || isNeeded(each)) {
          segments++;
          bytes += each.bytes();
        }
        if (found != null && isNeeded(each)) {
          bad.add(new Bad(each, found));
        }
      }
    }
    return new Verified(segments, bytes, bad);
  }

  /// False when it was replaced since it was listed.
  private boolean isNeeded(ColdControl.Cold each) {
    return cold.all().contains(each);
  }

  /// What is wrong with an object; null when nothing is.
  private @Nullable String found(ColdControl.Cold each, boolean whole) {
    if (!each.place().equals(objects.toString())) {
      return "it was moved to %s, and `cold` is %s".formatted(each.place(), objects);
    }
    ObjectStore.Found there = objects.head(each.object());
    if (there == null) {
      return "it is missing";
    }
    if (there.bytes() != each.bytes()) {
      return "it has %d bytes, %d were put".formatted(there.bytes(), each.bytes());
    }
    return whole && !hasHash(each.object(), each.sha256())
        ? "its contents are not what was put"
        : null;
  }

  public Status status() {
    List<ColdControl.Cold> all = cold.all();
    String end = ended;
    String reason = retry.reason() == null ? cold.reason() : retry.reason();
    String state = end != null ? "other-owner" : reason != null ? "away" : "ok";
    return new Status(
        state,
        objects.toString(),
        all.size(),
        all.stream().mapToLong(ColdControl.Cold::bytes).sum(),
        pendingBytes,
        cold.cacheBytes(),
        cold.cacheFailure(),
        end == null ? reason : end);
  }
}
