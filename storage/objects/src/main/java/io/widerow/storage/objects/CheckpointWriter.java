package io.widerow.storage.objects;

import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Makes checkpoints of one epoch: takes a moment of the store, puts those of its files that the
/// prefix lacks, then the checkpoint, then `head`.
///
/// ```
///   moment  ->  files  ->  owner is still this one  ->  checkpoint  ->  head
/// ```
///
/// A moment whose files could not be put stays, and the next call goes on with it: nothing between
/// the start of the epoch and its first checkpoint is lost then.
///
/// - Threads: one.
final class CheckpointWriter {
  private static final String WORK = "moment";
  static final String HEAD = "head";

  /// Files of a snapshot that a restore makes again.
  static final Set<String> MADE_AGAIN = Set.of(Journal.DIRECTORY, Witness.NAME, StoreLock.NAME);

  /// Directories of files that never change under their names.
  private static final List<String> NEVER_CHANGE =
      List.of("segments/", "figures/", "tables/segments/");

  private final BackupFeed feed;
  private final ObjectStore objects;
  private final @Nullable ObjectStore cold;
  private final Owner owner;
  private final FrameShipper shipper;
  private final KnownDigests digests;
  private final Set<String> there = new HashSet<>(); // objects
  private final Set<String> made = new HashSet<>(); // checkpoints
  private final Set<String> doubtful; // objects that an earlier owner may delete for a while
  private long seq;
  private BackupFeed.@Nullable Moment waiting;
  private volatile BackupFeed.Moment newest;
  private volatile @Nullable Checkpoint last;
  private final AtomicLong bytes = new AtomicLong();

  /// @param cold where the objects of cold segments are; null for nowhere else
  /// @param first moment of the epoch
  /// @param doubtful objects in the trash, which an earlier owner may still delete
  CheckpointWriter(
      BackupFeed feed,
      ObjectStore objects,
      @Nullable ObjectStore cold,
      Owner owner,
      FrameShipper shipper,
      BackupFeed.Moment first,
      Set<String> doubtful) {
    this.cold = cold;
    this.doubtful = new HashSet<>(doubtful);
    this.digests = new KnownDigests(feed.disk(), feed.directory());
    this.feed = feed;
    this.objects = objects;
    this.owner = owner;
    this.shipper = shipper;
    this.waiting = first;
    this.newest = first;
  }

  /// Takes the first moment of an epoch, and deletes what an earlier one left.
  static BackupFeed.Moment first(BackupFeed feed, Owner owner) {
    Path directory = feed.directory().resolve(BackupMark.DIRECTORY);
    Disk disk = feed.disk();
    for (Path left : disk.list(directory)) {
      if (left.getFileName().toString().startsWith(WORK)) {
        BackupFeed.deleteAll(disk, left);
      }
    }
    return take(feed, "%s-%d".formatted(WORK, owner.epoch()));
  }

  private static BackupFeed.Moment take(BackupFeed feed, String name) {
    Path work = feed.directory().resolve(BackupMark.DIRECTORY).resolve(name);
    BackupFeed.Moment taken = feed.moment(work);
    BackupFeed.deleteAll(feed.disk(), taken.directory().resolve(Journal.DIRECTORY));
    return taken;
  }

  /// The newest moment, whether it is a checkpoint yet or not.
  BackupFeed.Moment newest() {
    return newest;
  }

  /// The last checkpoint; null before the first one.
  @Nullable Checkpoint last() {
    return last;
  }

  /// Bytes of the objects that were put.
  long bytes() {
    return bytes.get();
  }

  /// Whether a moment waits to become a checkpoint.
  boolean isWaiting() {
    return waiting != null;
  }

  /// Puts everything once more that the next checkpoint needs and the prefix lacks.
  void lookAgain() {
    there.clear();
  }

  /// No earlier owner deletes anything any more.
  void trustAll() {
    doubtful.clear();
  }

  /// The checkpoints of this epoch.
  Set<String> made() {
    return Set.copyOf(made);
  }

  /// The objects of files that the next checkpoint relies on.
  Set<String> inUse() {
    return Set.copyOf(there);
  }

  /// Makes a checkpoint of the moment that waits, or of now.
  ///
  /// @throws ObjectsException.Away when it could not be made; the next call goes on
  Checkpoint write() {
    BackupFeed.Moment moment = waiting;
    if (moment == null) {
      moment = take(feed, "%s-%d-%d".formatted(WORK, owner.epoch(), seq));
      waiting = moment;
      newest = moment;
      shipper.begin(moment);
    }
    List<Checkpoint.Entry> files = new ArrayList<>();
    putAll(moment.directory(), "", files);
    var next =
        new Checkpoint(
            owner.epoch(),
            seq,
            moment.nanos(),
            moment.changes(),
            shipper.journalFrom(moment.sealed()),
            moment.sealed(),
            files);
    there.retainAll(files.stream().map(Checkpoint.Entry::object).toList());
    owner.require(objects);
    put(next.name(), new BytesContent(next.toBytes()));
    made.add(next.name());
    String head =
        "{\"epoch\":%d,\"checkpoint\":\"%s\",\"journal\":%d}\n"
            .formatted(owner.epoch(), next.name(), shipper.seq());
    put(HEAD, new BytesContent(head.getBytes(StandardCharsets.US_ASCII)));
    shipper.wantCut();
    seq++;
    last = next;
    waiting = null;
    BackupFeed.deleteAll(feed.disk(), moment.directory());
    digests.save(files.stream().map(Checkpoint.Entry::path).toList());
    return next;
  }

  private void putAll(Path directory, String prefix, List<Checkpoint.Entry> files) {
    for (Path path : feed.disk().list(directory)) {
      String name = prefix + path.getFileName();
      if (MADE_AGAIN.contains(path.getFileName().toString())) {
        continue;
      }
      if (feed.disk().isDirectory(path)) {
        putAll(path, name + "/", files);
      } else {
        files.add(name.endsWith(ColdStub.SUFFIX) ? putCold(path) : putFile(path, name));
      }
    }
  }

  private Checkpoint.Entry putFile(Path path, String name) {
    FileContent content = FileContent.of(feed.disk(), path);
    boolean neverChanges = NEVER_CHANGE.stream().anyMatch(name::startsWith);
    Checkpoint.Entry entry = neverChanges ? digests.of(name, path, content.bytes()) : null;
    if (entry == null) {
      entry = new Checkpoint.Entry(name, content.bytes(), ContentDigest.of(content));
      if (neverChanges) {
        digests.add(entry, path);
      }
    }
    putUnlessThere(entry.object(), content);
    return entry;
  }

  /// A cold segment is a file like any other: its object may be there already, or is copied.
  private Checkpoint.Entry putCold(Path path) {
    ColdStub stub = ColdStub.read(feed.disk(), path);
    String name = path.getFileName().toString().replace(ColdStub.SUFFIX, SegmentEntry.SUFFIX);
    var entry = new Checkpoint.Entry(Manifest.SEGMENTS + "/" + name, stub.bytes(), stub.sha256());
    putUnlessThere(entry.object(), new ObjectContent(cold, stub));
    return entry;
  }

  private void putUnlessThere(String object, ObjectStore.Content content) {
    if (!there.contains(object)) {
      if (doubtful.contains(object)) {
        throw new ObjectsException.Away(
            "%s: an earlier owner may still delete %s; it is looked at again in a minute"
                .formatted(objects, object));
      }
      ObjectStore.Found found = objects.head(object);
      if (found == null || found.bytes() != content.bytes()) {
        put(object, content);
      }
      there.add(object);
    }
  }

  /// An object of a cold segment as the content of another one.
  private record ObjectContent(@Nullable ObjectStore from, ColdStub stub)
      implements ObjectStore.Content {
    @Override
    public long bytes() {
      return stub.bytes();
    }

    @Override
    public InputStream open() throws IOException {
      InputStream in = from == null ? null : from.open(stub.object());
      if (in == null) {
        throw new IOException("%s/%s: it is not there".formatted(stub.place(), stub.object()));
      }
      return in;
    }
  }

  private void put(String object, ObjectStore.Content content) {
    objects.put(object, content);
    bytes.addAndGet(content.bytes());
  }

  /// Deletes the moment that waits.
  void close() {
    BackupFeed.Moment left = waiting;
    if (left != null) {
      waiting = null;
      BackupFeed.deleteAll(feed.disk(), left.directory());
    }
  }
}
