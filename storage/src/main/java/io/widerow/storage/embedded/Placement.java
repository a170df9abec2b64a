package io.widerow.storage.embedded;

import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.layout.IdHash;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.TypeTable;
import java.lang.foreign.MemorySegment;

/// Places the events of a lane: it assigns a record its id, version and shard, and finds its row.
///
/// An id that a client brought belongs to one lane whatever the shards are, so that its writes come
/// in one order. Its shard may change with the layout of its type: readers find the newest write of
/// an id among all shards.
///
/// - Threads: the lane's.
final class Placement {
  private final int lane;
  private final StoreConfig config;
  private final TypeTable types;
  private long placement; // of the present batch
  private int shard; // within the lane, of the record placed last

  Placement(int lane, StoreConfig config, Layouts layouts) {
    this.lane = lane;
    this.config = config;
    this.types = new TypeTable(layouts);
  }

  /// The lane of an id that a client brought.
  static int laneOf(long idTime, long idTail, int lanes) {
    return (int) Long.remainderUnsigned(IdHash.of(idTime, idTail), lanes);
  }

  /// Begins a batch.
  ///
  /// @param newPlacement see [io.widerow.storage.LaneWriter#append(EventBatch, long,
  ///   io.widerow.storage.LaneWriter.Rejections)]
  void begin(Layouts layouts, long newPlacement) {
    types.begin(layouts);
    placement = newPlacement;
  }

  /// Places a record that was copied into rows. False when these have no room for it.
  ///
  /// @param counter arrival number of the event
  boolean add(OpenRows rows, long at, int length, long counter) {
    MemorySegment memory = rows.memory();
    types.turnTo(memory, at);
    identify(memory, at, counter);
    long idTime = EventLayout.idTime(memory, at);
    OpenRow row = types.row(rows, idTime, EventLayout.shard(memory, at));
    if (!rows.add(row, at)) {
      return false;
    }
    types.took(shard, length);
    return true;
  }

  private void identify(MemorySegment memory, long at, long counter) {
    long idTime = EventLayout.idTime(memory, at);
    long idTail = EventLayout.idTail(memory, at);
    int lanes = config.lanes();
    if (EventLayout.version(memory, at) == EventLayout.VERSION_OWN) {
      long hash = IdHash.of(idTime, idTail);
      int own = (int) Long.remainderUnsigned(hash, lanes);
      if (own != lane) {
        throw new IllegalArgumentException(
            "lane %d was given an event with an id of lane %d".formatted(lane, own));
      }
      shard = types.shardForOwn(Long.divideUnsigned(hash, lanes));
      EventLayout.setVersion(memory, at, counter);
    } else {
      shard = types.shardFor(idTime, placement);
      long nanos = TimeUuid.nanosOf(idTime, idTail);
      EventLayout.setIdTail(memory, at, TimeUuid.tailOf(nanos, config.daemon(), counter));
    }
    EventLayout.setShard(memory, at, lane + lanes * shard);
  }

  /// Places a record again that was moved to other rows. False when these have no room for it.
  ///
  /// @param oldShard the one that it has
  boolean addAgain(OpenRows rows, long at, int oldShard) {
    return rows.add(types.row(rows, rows.memory(), at, oldShard), at);
  }

  /// Other rows come now.
  void rowsTurned() {
    types.clear();
  }
}
