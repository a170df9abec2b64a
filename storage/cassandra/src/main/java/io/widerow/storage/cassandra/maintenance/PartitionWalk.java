package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.repair.SegmentCheck;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads all segments of a partition that readers show, merged in the order of ids, and checks
/// them. Unlike a merge it looks at events that are there twice.
///
/// - Threads: one.
/// - Memory: segments that overlap.
final class PartitionWalk {
  private final Keyspace keyspace;
  private final List<DirectoryRow> rows;
  private final ValueAhead values;
  private final List<Damage> damage = new ArrayList<>();
  private final Set<List<SegmentKey>> twice = new HashSet<>();
  private long blocks;

  /// An open segment, at an event.
  private final class Head implements AutoCloseable {
    final DirectoryRow row;
    final EventCursor cursor;
    EventId id = EventId.LEAST;
    long version;
    int events;

    Head(DirectoryRow row, EventCursor cursor) {
      this.row = row;
      this.cursor = cursor;
    }

    /// False at its end.
    boolean advance() {
      if (cursor.next() != EventCursor.Step.EVENT) {
        if (events != row.events()) {
          add(row.key(), "%d events, the directory says %d".formatted(events, row.events()));
        }
        return false;
      }
      EventView event = cursor.event();
      EventId next = event.id();
      PartitionKey partition = row.key().partition();
      if (events > 0 && next.compareTo(id) <= 0) {
        add(row.key(), "event %d (%s) is not after %s".formatted(events, next, id));
        return false;
      }
      if (event.timeNanos() < partition.fromNanos()
          || event.timeNanos() >= partition.untilNanos()) {
        add(row.key(), "event %d (%s) is not of this bucket".formatted(events, next));
        return false;
      }
      id = next;
      version = event.version();
      events++;
      return true;
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  /// @param shown rows of the directory of one partition
  PartitionWalk(Keyspace keyspace, List<DirectoryRow> shown) {
    this.keyspace = keyspace;
    this.rows = new ArrayList<>(shown);
    rows.sort(MergeSources.BY_FIRST);
    this.values = new ValueAhead(keyspace, rows);
  }

  List<Damage> damage() {
    return damage;
  }

  long blocks() {
    return blocks;
  }

  void add(SegmentKey key, String found) {
    Path place = Path.of(key.toString().replace('\0', '?'));
    damage.add(new Damage(Damage.Kind.SEGMENT, place, 0, found, infos(key)));
  }

  private List<PartitionInfo> infos(SegmentKey key) {
    return rows.stream().filter(row -> row.key().equals(key)).map(PartitionWalk::info).toList();
  }

  private static PartitionInfo info(DirectoryRow row) {
    return new PartitionInfo(
        row.key().partition(),
        row.events(),
        TimeUuid.tickNanos(row.first().time()),
        TimeUuid.tickNanos(row.last().time()) + TimeUuid.NANOS_PER_TICK - 1);
  }

  void walk() {
    PriorityQueue<Head> heads = new PriorityQueue<>((a, b) -> a.id.compareTo(b.id));
    SegmentKey keyBefore = null;
    EventId idBefore = EventId.LEAST;
    long versionBefore = 0;
    int next = 0;
    try {
      while (next < rows.size() || !heads.isEmpty()) {
        Head least = heads.peek();
        if (next < rows.size()
            && (least == null || rows.get(next).first().compareTo(least.id) <= 0)) {
          Head opened = open(rows.get(next++));
          if (opened != null) {
            heads.add(opened);
          }
          continue;
        }
        Head head = heads.remove();
        if (keyBefore != null && head.id.equals(idBefore) && head.version == versionBefore) {
          addTwice(keyBefore, head.row.key(), head.id);
        }
        keyBefore = head.row.key();
        idBefore = head.id;
        versionBefore = head.version;
        if (head.advance()) {
          heads.add(head);
        } else {
          head.close();
        }
      }
    } finally {
      heads.forEach(Head::close);
    }
  }

  private void addTwice(SegmentKey one, SegmentKey other, EventId id) {
    if (twice.add(List.of(one, other))) {
      add(other, "event %s is shown twice, also from %s".formatted(id, one));
    }
  }

  /// At its first event; null when it cannot be read.
  private @Nullable Head open(DirectoryRow row) {
    try (Segment segment = SegmentValue.open(values.take(row), row, keyspace.identity().id())) {
      SegmentCheck check = SegmentCheck.of(segment);
      blocks += check.blocks();
      damage.addAll(check.damage());
      if (!check.lost().isEmpty()) {
        return null;
      }
      Head head = new Head(row, SegmentCursor.open(segment, row.key().partition(), Scan.all()));
      if (head.advance()) {
        return head;
      }
      head.close();
      return null;
    } catch (ValueAhead.Missing missing) {
      add(missing.key, missing.found);
    } catch (StorageException.Corrupt corrupt) {
      damage.add(corrupt.damage(Damage.Kind.SEGMENT, infos(row.key())));
    }
    return null;
  }
}
