package io.widerow.storage.live;

import io.widerow.storage.LaneArrivals;
import java.util.ArrayList;
import java.util.List;

/// The released events of a drained store: every event that arrived before one of these positions.
/// It only grows. The positions of one number of lanes are kept as one, lane by lane the greatest;
/// an owner has several when the number of lanes has changed.
///
/// @param positions each of another number of lanes
public record Released(List<LaneArrivals> positions) {
  static final Released NOTHING = new Released(List.of());

  public Released {
    positions = List.copyOf(positions);
  }

  /// The same, and what arrived before `to`.
  Released with(LaneArrivals to) {
    List<LaneArrivals> all = new ArrayList<>();
    LaneArrivals raised = to;
    for (LaneArrivals each : positions) {
      if (each.laneLimits().size() == to.laneLimits().size()) {
        raised = both(each, raised);
      } else {
        all.add(each);
      }
    }
    all.add(raised);
    return new Released(all);
  }

  private static LaneArrivals both(LaneArrivals a, LaneArrivals b) {
    List<Long> limits = new ArrayList<>();
    for (int lane = 0; lane < a.laneLimits().size(); lane++) {
      limits.add(Math.max(a.laneLimits().get(lane), b.laneLimits().get(lane)));
    }
    return new LaneArrivals(Math.max(a.segmentLimit(), b.segmentLimit()), limits);
  }

  /// The first arrival number in a shard that is still needed.
  public long limitOf(int shard) {
    long limit = 0;
    for (LaneArrivals each : positions) {
      limit = Math.max(limit, each.limitOf(shard));
    }
    return limit;
  }
}
