package io.widerow.storage.objects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lets objects go that no kept moment needs, as the owner of a prefix.
///
/// ```
///   points                     every second
///   x        x        x        |==============================|
///   ^ kept: single moments     ^ first checkpoint, at now - keep
///
///   kept, by conditional PUT  ->  trash: names  ->  a day later, looked at again: deleted
/// ```
///
/// A list of objects may be late, and a new owner may need an object that the one before has put
/// into the trash: so nothing is deleted within the grace, each deletion follows a look at the
/// owner, and a new owner waits before it relies on such an object ([CheckpointWriter]).
///
/// - Threads: one, that of [CheckpointWriter].
final class BackupRetention {
  private static final int NAMES_MAX = 10_000;
  private static final int DELETIONS = 200; // after a look at the owner

  /// Names of objects with contents of a file.
  private static final Pattern FILE = Pattern.compile(".+/[^/]+-[0-9a-f]{16}(\\.[a-z]+)?");

  private final ObjectStore objects;
  private final Owner owner;
  private final RetentionOptions options;

  /// What a look has found.
  ///
  /// @param oldest the first moment from which every second can be restored; empty without one
  /// @param deleted number of objects
  record Found(String oldest, List<BackupCatalog.Gap> gaps, long deleted) {}

  BackupRetention(ObjectStore objects, Owner owner, RetentionOptions options) {
    this.objects = objects;
    this.owner = owner;
    this.options = options;
  }

  /// Looks at everything under the prefix.
  ///
  /// @param nanos the wall clock
  /// @param own checkpoints that this owner has made
  /// @param inUse objects that it relies on
  /// @throws ObjectsException.Away when the place does not answer; another run goes on
  Found run(long nanos, Set<String> own, Set<String> inUse) {
    var catalog = new BackupCatalog(objects, own);
    Kept next = next(catalog, nanos);
    if (!next.equals(catalog.kept())) {
      owner.require(objects);
      if (objects.putIf(Kept.OBJECT, next.toBytes(), catalog.keptTag()) == null) {
        throw new ObjectsException.Away(objects + ": another has changed 'kept'; it is read again");
      }
      catalog = new BackupCatalog(objects, own);
    }
    var needed = new Needed(catalog, inUse, owner.epoch());
    Set<String> waiting = new HashSet<>();
    long deleted = emptyTrash(needed, nanos, waiting);
    fillTrash(needed, nanos, waiting);
    objects.tidy();
    return new Found(catalog.oldest(), catalog.gaps(), deleted);
  }

  /// What is kept from now on.
  private Kept next(BackupCatalog catalog, long nanos) {
    Kept now = catalog.kept();
    String first = now.first();
    long horizon = nanos - options.keep().toNanos();
    BackupCatalog.Plan base = catalog.planOrNull(horizon);
    if (base != null && now.isFrom(base.checkpoint().name())) {
      first = base.checkpoint().name();
    }
    long dayNanos = options.day().toNanos();
    long limit = horizon - options.daily() * dayNanos;
    TreeMap<Long, Kept.Point> days = new TreeMap<>();
    for (Kept.Point point : now.points()) {
      if (point.cutNanos() >= limit) {
        days.put(Math.floorDiv(point.cutNanos(), dayNanos), point);
      }
    }
    for (String name : catalog.names().reversed()) {
      if (name.compareTo(first) < 0) {
        Checkpoint made = catalog.checkpoint(name);
        long day = Math.floorDiv(made.nanos(), dayNanos);
        Kept.Point point =
            made.nanos() < limit || days.containsKey(day) ? null : catalog.point(made);
        if (point != null) {
          days.putIfAbsent(Math.floorDiv(point.cutNanos(), dayNanos), point);
        }
      }
    }
    return new Kept(first, List.copyOf(days.values()));
  }

  /// The objects that kept moments need.
  static final class Needed {
    private static final Pattern FRAMES =
        Pattern.compile("journal/([0-9a-f]{8})/([0-9a-f]{16})\\.wj");

    private final Kept kept;
    private final int epoch;
    private final Set<String> files;
    private final Map<Integer, Long> framesFrom = new HashMap<>(); // by epoch
    private final Set<String> framesOfPoints = new HashSet<>();

    Needed(BackupCatalog catalog, Set<String> inUse, int epoch) {
      this.kept = catalog.kept();
      this.epoch = epoch;
      this.files = new HashSet<>(inUse);
      for (String name : catalog.names()) {
        Checkpoint made = add(catalog, name);
        framesFrom.merge(made.epoch(), made.journal(), Math::min);
      }
      for (Kept.Point point : kept.points()) {
        Checkpoint made = add(catalog, point.checkpoint());
        for (long seq = made.journal(); seq < point.frames(); seq++) {
          framesOfPoints.add(FrameObject.name(made.epoch(), seq));
        }
      }
    }

    private Checkpoint add(BackupCatalog catalog, String name) {
      Checkpoint made = catalog.checkpoint(name);
      made.files().forEach(file -> files.add(file.object()));
      return made;
    }

    /// Whether an object may go. An object of a kind that is not known stays.
    boolean isGarbage(String name) {
      if (Checkpoint.isName(name)) {
        return Checkpoint.epochOf(name) <= epoch && !kept.isFrom(name) && kept.of(name) == null;
      }
      Matcher frames = FRAMES.matcher(name);
      if (frames.matches()) {
        int of = Integer.parseInt(frames.group(1), 16);
        Long from = framesFrom.get(of);
        boolean isBefore = from == null ? of < epoch : Long.parseLong(frames.group(2), 16) < from;
        return isBefore && !framesOfPoints.contains(name);
      }
      return FILE.matcher(name).matches()
          && !name.startsWith(Trash.DIRECTORY)
          && !files.contains(name);
    }
  }

  private long emptyTrash(Needed needed, long nanos, Set<String> waiting) {
    long deleted = 0;
    for (Trash trash : trash(objects)) {
      if (nanos - trash.nanos() < options.grace().toNanos()) {
        waiting.addAll(trash.names());
        continue;
      }
      int left = 0;
      for (String name : trash.names()) {
        if (needed.isGarbage(name)) {
          if (left == 0) {
            owner.require(objects);
            left = DELETIONS;
          }
          objects.delete(name);
          left--;
          deleted++;
        }
      }
      owner.require(objects);
      objects.delete(trash.name());
    }
    return deleted;
  }

  private void fillTrash(Needed needed, long nanos, Set<String> waiting) {
    List<String> names = new ArrayList<>();
    for (String name : objects.list("")) {
      if (names.size() < NAMES_MAX && needed.isGarbage(name) && !waiting.contains(name)) {
        names.add(name);
      }
    }
    if (!names.isEmpty()) {
      owner.require(objects);
      var trash = new Trash(owner.epoch(), nanos, names);
      objects.put(trash.name(), new BytesContent(trash.toBytes()));
    }
  }

  /// The lists of trash.
  static List<Trash> trash(ObjectStore objects) {
    List<Trash> all = new ArrayList<>();
    for (String name : objects.list(Trash.DIRECTORY)) {
      ObjectStore.Read read = objects.get(name);
      if (read != null) {
        all.add(Trash.read(name, read.bytes()));
      }
    }
    return all;
  }
}
