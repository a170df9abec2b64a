package io.widerow.ingest;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import io.widerow.event.Rejection;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.lane.BatchLedger;
import io.widerow.storage.ClockReport;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A store in memory that shows committed events as text, and whose commits can be delayed or made
/// to fail.
public final class MemoryStore implements EventStore {
  /// A committed event.
  public record Stored(
      String type, long timeNanos, @Nullable EventId ownId, Map<String, Object> attributes) {
    public String body() {
      return String.valueOf(attributes.get("body"));
    }
  }

  /// The events of a batch, or of a part of one, that was noted.
  public static final class Part {
    public final byte[] note;
    public final List<Stored> events;

    Part(byte[] note, List<Stored> events) {
      this.note = note;
      this.events = events;
    }
  }

  public final List<Stored> committed = Collections.synchronizedList(new ArrayList<>());
  public final List<Integer> groups = new CopyOnWriteArrayList<>(); // number of batches in each
  public final List<Durability> levels = new CopyOnWriteArrayList<>();
  public final Semaphore commits = new Semaphore(Integer.MAX_VALUE / 2);
  public volatile @Nullable String failure;
  public volatile boolean full;
  public volatile ClockReport clock = ClockReport.right();
  public final AtomicInteger refusedForRoom = new AtomicInteger();
  public volatile boolean fullAtCommit;
  public volatile int groupEventsMax = Integer.MAX_VALUE;
  public volatile long rejectFromNanos = Long.MAX_VALUE;

  /// The machine's clock was set back by so much.
  public volatile long setBackNanos;

  public final List<MemoryLane> lanes = new ArrayList<>();
  public final AtomicInteger views = new AtomicInteger(); // asked for
  public volatile @Nullable StoreView shown;
  public volatile @Nullable ClusterReport cluster;
  public volatile boolean applying; // each group at its commit
  public volatile boolean withoutJournal; // as after a start on a full disk

  public MemoryStore(int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      this.lanes.add(new MemoryLane());
    }
  }

  /// The writer of one lane.
  public final class MemoryLane implements LaneWriter {
    public final Map<Long, List<byte[]>> notes = new TreeMap<>();
    private final List<Stored> pending = new ArrayList<>();
    private final List<byte[]> pendingNotes = new ArrayList<>();
    public final List<Part> parts = new CopyOnWriteArrayList<>(); // committed
    private final List<Part> pendingParts = new ArrayList<>();
    private int lastFrom; // in `pending`, of the batch appended last
    private final RecordView view = new RecordView();
    private int batches;
    private long group;
    public final List<byte[]> claims = new CopyOnWriteArrayList<>();
    private volatile LongConsumer told = _ -> {};

    @Override
    public void onQuorum(LongConsumer asked) {
      told = asked;
    }

    /// Tells that the cluster has all groups up to this one.
    public void applied(long last) {
      told.accept(last);
    }

    @Override
    public void claim(byte[] key) {
      claims.add(key);
    }

    @Override
    public int append(EventBatch batch, long placement, Rejections rejections) {
      if (full) {
        refusedForRoom.incrementAndGet();
        throw new StorageException.DiskFull(Path.of("memory"), 0, batch.bytes());
      }
      if (pending.size() + batch.count() > groupEventsMax) {
        for (int i = 0; i < batch.count(); i++) {
          rejections.rejected(i, Rejection.BATCH_TOO_LARGE);
        }
        return 0;
      }
      batches++;
      lastFrom = pending.size();
      int index = 0;
      int accepted = 0;
      for (long at = 0; at < batch.bytes(); index++) {
        view.show(batch.memory(), at);
        if (TimeUuid.tickNanos(view.idTime()) >= rejectFromNanos) {
          rejections.rejected(index, Rejection.TIME_IN_FUTURE);
        } else {
          pending.add(stored(view));
          accepted++;
        }
        at += EventLayout.alignedLength(view.length());
      }
      return accepted;
    }

    private Stored stored(RecordView event) {
      Map<String, Object> attributes = new TreeMap<>();
      event.forEach(
          new AttributeValue(), (name, value) -> attributes.put(name.toString(), object(value)));
      boolean own = event.version() == EventLayout.VERSION_OWN;
      return new Stored(event.type(), event.timeNanos(), own ? event.id() : null, attributes);
    }

    private static Object object(AttributeValue value) {
      return switch (value.kind()) {
        case STRING, BYTES -> value.toString();
        case LONG -> value.bits();
        case DOUBLE -> value.asDouble();
        case BOOLEAN -> value.bits() != 0;
      };
    }

    @Override
    public long commit(Durability durability) {
      commits.acquireUninterruptibly();
      String why = failure;
      if (why != null) {
        throw new StorageException.Failed(Path.of("memory"), "force", new IOException(why));
      }
      if (fullAtCommit && !pending.isEmpty()) {
        clear(); // the group is dropped
        throw new StorageException.DiskFull(Path.of("memory"), 0, 1);
      }
      if (withoutJournal) {
        clear();
        return 0;
      }
      if (!pending.isEmpty() || !pendingNotes.isEmpty()) {
        group++;
        notes.put(group, List.copyOf(pendingNotes));
        committed.addAll(pending);
        parts.addAll(pendingParts);
      }
      if (batches > 0) { // an idle lane commits nothing, whenever it likes
        groups.add(batches);
        levels.add(durability);
      }
      clear();
      if (applying) {
        told.accept(group);
      }
      return group;
    }

    private void clear() {
      pending.clear();
      pendingNotes.clear();
      lastFrom = 0;
      pendingParts.clear();
      batches = 0;
    }

    @Override
    public void note(byte[] note) {
      if (note.length > BatchLedger.NOTE_BYTES_MAX) {
        throw new IllegalArgumentException("note of " + note.length + " bytes");
      }
      pendingNotes.add(note);
      pendingParts.add(new Part(note, List.copyOf(pending.subList(lastFrom, pending.size()))));
    }

    @Override
    public void notes(NoteReader reader) {
      notes.forEach((number, all) -> {
        group = Math.max(group, number); // numbers go on after a restart
        all.forEach(note -> reader.read(number, note));
      });
    }

    @Override
    public void forgetNotesBefore(long first) {
      notes.keySet().removeIf(number -> number < first);
    }
  }

  @Override
  public int lanes() {
    return lanes.size();
  }

  @Override
  public LaneWriter lane(int lane) {
    return lanes.get(lane);
  }

  @Override
  public int laneOf(EventId id, int lanesThen) {
    return Math.floorMod(id.hashCode(), lanesThen);
  }

  @Override
  public byte[] secret() {
    return new byte[32];
  }

  @Override
  public @Nullable ClusterReport cluster() {
    return cluster;
  }

  @Override
  public StoreView view() {
    views.incrementAndGet();
    StoreView view = shown;
    if (view == null) {
      throw new UnsupportedOperationException("nothing is read here");
    }
    return view;
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return view();
  }

  @Override
  public @Nullable String full() {
    return full ? "told to be full" : null;
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {}

  @Override
  public void maintain() {}

  @Override
  public long arrivalNanos() {
    java.time.Instant now = java.time.Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  @Override
  public long nowNanos() {
    return arrivalNanos();
  }

  @Override
  public long latestNanos() {
    return nowNanos() + setBackNanos;
  }

  @Override
  public ClockReport clock() {
    return clock;
  }

  @Override
  public void acceptClock() {
    clock = ClockReport.right();
  }

  @Override
  public StoreStatistics statistics() {
    return new StoreStatistics(
        committed.size(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", List.of());
  }

  @Override
  public void close() {}
}
