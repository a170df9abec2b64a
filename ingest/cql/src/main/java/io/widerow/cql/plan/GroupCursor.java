package io.widerow.cql.plan;

import io.widerow.cql.schema.GroupPosition;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.type.CqlType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The groups of rows that lie group by group, as those of a table in its own order do. One group
/// is held at a time.
///
/// - Threads: one.
final class GroupCursor {
  private final CqlGrouping grouping;
  private final RowCursor rows;
  private final Bound bound;
  private final long most;
  private final List<CqlType> types;
  private @Nullable ByteBuffer passed; // the key of a group that is passed over
  private boolean found; // the rows stand at one that is not read yet
  private boolean over;
  private List<Object> partition = List.of();
  private int ofPartition;
  private @Nullable Row row;
  private @Nullable GroupPosition position;

  /// @param rows that come after the first row of the last group that was shown; the caller's
  /// @param after that group; null at the start
  /// @param most groups of one partition
  GroupCursor(
      CqlGrouping grouping, RowCursor rows, Bound bound, @Nullable GroupPosition after, long most) {
    this.grouping = grouping;
    this.types = grouping.types();
    this.rows = rows;
    this.bound = bound;
    this.most = most;
    if (after != null) {
      passed = after.key();
      partition = grouping.partition(grouping.key(after.key()));
      ofPartition = after.ofPartition();
    }
  }

  /// Moves to the next group. False at the end.
  boolean next() {
    while (findRow()) {
      List<Object> key = grouping.key(rows.row(), bound);
      List<Object> of = grouping.partition(key);
      ofPartition = of.equals(partition) ? ofPartition + 1 : 1;
      partition = of;
      ByteBuffer first = rows.position();
      CqlGrouping.Group group = readGroup(key);
      if (ofPartition <= most) {
        row = grouping.row(group, types);
        position = new GroupPosition(ofPartition, grouping.bytes(key), first);
        return true;
      }
    }
    return false;
  }

  /// Moves to the first row of a group that was not shown. False at the end.
  private boolean findRow() {
    while (found || nextRow()) {
      found = false;
      if (passed == null) {
        return true;
      }
      if (!grouping.bytes(grouping.key(rows.row(), bound)).equals(passed)) {
        passed = null;
        return true;
      }
    }
    return false;
  }

  private boolean nextRow() {
    over = over || !rows.next();
    return !over;
  }

  private CqlGrouping.Group readGroup(List<Object> key) {
    CqlGrouping.Group group = grouping.group(rows.row(), _ -> {}); // one at a time
    do {
      Row each = rows.row();
      group.add(each, bound);
      found = nextRow() && !grouping.key(rows.row(), bound).equals(key);
    } while (!found && !over);
    return group;
  }

  /// Whether a group comes after this one. It moves to that group if necessary.
  boolean hasMore() {
    return most == Long.MAX_VALUE ? found : next();
  }

  /// The row of the group, until the next call of [#next].
  Row row() {
    return Objects.requireNonNull(row);
  }

  /// The position at which a later cursor continues after the group.
  ByteBuffer position() {
    return Objects.requireNonNull(position).write();
  }
}
