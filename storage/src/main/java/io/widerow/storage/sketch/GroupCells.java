package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The cells of one rollup for one partition of a segment: the aggregates of each group in each
/// step (a materialized aggregate). They are written with the events that they count and never
/// change.
///
/// ```
///   varint groups | for each, for each attribute that groups:
///     byte kind, 0 for none | int bytes | text; or 8 bytes
///   varint steps | for each, in order:
///     varint distance | varint events | varint ownIds | varint bytes | groups of the step
///   groups of a step: varint groups | for each, in order of numbers:
///     varint groups left out before it | varint events | figures, see [AttributeFigures]
/// ```
///
/// `distance` is that to the step before, or to the one in which the partition's bucket starts. A
/// step of too many groups, or of too many distinct values, has no bytes: it is counted from
/// events.
///
/// - Threads: one.
/// - Memory: what it was read from, and 28 bytes a step.
public final class GroupCells {
  /// Most groups of a step.
  public static final int GROUPS_MAX = 10_000;

  /// Most groups of a partition.
  static final int GROUPS_KNOWN_MAX = 1 << 17;

  /// Most bytes of the values of a group.
  static final int KEY_BYTES_MAX = 1 << 10;

  /// Bytes of a partition's cells from which steps have too many.
  static final int PIECE_BYTES_MAX = 16 << 20;

  /// Most bytes of the cells of a partition.
  public static final int BYTES_MAX = 3 * PIECE_BYTES_MAX;

  static final byte ABSENT = 0;

  private static final int STEP_BYTES_LEAST = 4;
  private static final long STEPS_LIMIT = 1L << 40;

  private final RollupShape shape;
  private final ByteSource in;
  private final int[] valueAt; // of each value of each group: where its kind is
  private final int valuesEnd; // end of the last value
  private final int valuesAGroup;
  private final long[] steps;
  private final long[] events;
  private final long[] ownIds;
  private final int[] groupsAt; // 0 for too many
  private final int[] groupsEnd;
  private final long fileOffset; // of the array's start

  private GroupCells(RollupShape shape, ByteSource in, int[] valueAt, int valuesEnd, int count) {
    this.shape = shape;
    this.in = in;
    this.valueAt = valueAt;
    this.valuesEnd = valuesEnd;
    this.valuesAGroup = shape.by().size();
    this.steps = new long[count];
    this.events = new long[count];
    this.ownIds = new long[count];
    this.groupsAt = new int[count];
    this.groupsEnd = new int[count];
    this.fileOffset = in.fileOffset() - in.at();
  }

  /// Reads the cells of a partition to the end of the input, except the groups of steps.
  ///
  /// @param in stays in use until the next cells are read from it
  /// @param fromTicks time of ids at which the partition's bucket starts
  /// @param eventCount events of the partition
  /// @throws io.widerow.storage.StorageException.Corrupt when they are not those of this partition
  public static GroupCells read(ByteSource in, RollupShape shape, long fromTicks, long eventCount) {
    int groups = in.readCount(0, Math.min(GROUPS_KNOWN_MAX, in.left()), "groups");
    int[] valueAt = new int[groups * shape.by().size()];
    for (int i = 0; i < valueAt.length; i++) {
      valueAt[i] = in.at();
      skipValue(in);
    }
    int valuesEnd = in.at();
    int count = in.readCount(1, in.left() / STEP_BYTES_LEAST, "steps");
    GroupCells cells = new GroupCells(shape, in, valueAt, valuesEnd, count);
    long step = fromTicks / shape.stepTicks();
    long sum = 0;
    for (int i = 0; i < count; i++) {
      long more = in.readVarint();
      if (more < (i == 0 ? 0 : 1) || more > STEPS_LIMIT) {
        throw in.corrupt("step %d is %s after the one before".formatted(i, more));
      }
      step += more;
      cells.steps[i] = step;
      cells.events[i] = in.readVarint();
      cells.ownIds[i] = in.readVarint();
      if (cells.events[i] < 1
          || cells.events[i] > eventCount - sum
          || cells.ownIds[i] < 0
          || cells.ownIds[i] > cells.events[i]) {
        throw in.corrupt(
            "step of %d events, %d own ids".formatted(cells.events[i], cells.ownIds[i]));
      }
      sum += cells.events[i];
      long bytes = in.readVarint();
      int at = in.skip(bytes, "groups of a step");
      cells.groupsAt[i] = bytes == 0 ? 0 : at;
      cells.groupsEnd[i] = in.at();
    }
    in.requireEnd("the cells");
    if (sum != eventCount) {
      throw in.corrupt("cells of %d events, of %d".formatted(sum, eventCount));
    }
    return cells;
  }

  private static void skipValue(ByteSource in) {
    int kind = in.readByte();
    if (kind == ABSENT) {
      return;
    }
    if (kind > AttributeKind.BYTES.code) {
      throw in.corrupt("a value of kind " + kind);
    }
    int length = AttributeKind.of(kind).isText() ? in.readInt() : Long.BYTES;
    if (length > KEY_BYTES_MAX) {
      throw in.corrupt("a value of %d bytes".formatted(length));
    }
    in.skip(length, "a value");
  }

  /// Number of steps, at least 1.
  public int size() {
    return steps.length;
  }

  /// A step; they rise.
  public long step(int at) {
    return steps[at];
  }

  /// Events of a step, at least 1.
  public long events(int at) {
    return events[at];
  }

  /// The number of these events with client ids.
  public long ownIds(int at) {
    return ownIds[at];
  }

  /// False when a step has too many groups or distinct values: it has no aggregates.
  public boolean isKept(int at) {
    return groupsAt[at] != 0;
  }

  /// The groups of a step that is kept.
  ///
  /// @param type of the partition's events
  public Groups groups(int at, String type) {
    return new Groups(at, type);
  }

  /// True when a step has the groups of the same step of other cells, with the same aggregates.
  /// Both keep it.
  ///
  /// @param other cells of the same shape
  /// @param otherAt where they have the step
  public boolean isSame(int at, GroupCells other, int otherAt) {
    return encoded(at).equals(other.encoded(otherAt));
  }

  /// The number of events and the aggregates of each group of a step, as they are encoded, by its
  /// values.
  private Map<ByteBuffer, ByteBuffer> encoded(int at) {
    Map<ByteBuffer, ByteBuffer> encoded = new HashMap<>();
    Groups groups = groups(at, "");
    while (groups.next()) {
      encoded.put(groups.values(), groups.encoded());
    }
    return encoded;
  }

  /// Reads all of it.
  ///
  /// @throws io.widerow.storage.StorageException.Corrupt when groups do not have the events of
  ///   their step
  public void verify() {
    for (int at = 0; at < steps.length; at++) {
      if (isKept(at)) {
        Groups groups = groups(at, "");
        while (groups.next()) {}
      }
    }
  }

  /// The groups of one step, one after the other, each shown as an event that stands for all events
  /// of the group: it has the attributes that group, and the others as aggregates.
  ///
  /// - Threads: one.
  public final class Groups implements GroupedEvents {
    private final long idTime;
    private final String type;
    private final AttributeFigures[] figures = new AttributeFigures[shape.fields().size()];
    private final int groupCount;
    private long eventsLeft;
    private int done;
    private int group = -1;
    private long weight;
    private int weightAt;

    private Groups(int at, String type) {
      this.idTime = steps[at] * shape.stepTicks();
      this.type = type;
      this.eventsLeft = events[at];
      in.over(in.bytes(), groupsAt[at], groupsEnd[at], fileOffset);
      this.groupCount =
          in.readCount(1, Math.min(GROUPS_MAX, (int) Math.min(in.left(), eventsLeft)), "groups");
    }

    /// Moves to the next group; false after the last.
    public boolean next() {
      if (done == groupCount) {
        if (eventsLeft != 0) {
          throw in.corrupt("%d events of a step in no group".formatted(eventsLeft));
        }
        in.requireEnd("the groups of a step");
        return false;
      }
      int known = valuesAGroup == 0 ? 1 : valueAt.length / valuesAGroup;
      group += 1 + in.readCount(0, Math.max(0, known - group - 2), "groups left out");
      weightAt = in.at();
      weight = in.readVarint();
      if (group >= known || weight < 1 || weight > eventsLeft) {
        throw in.corrupt("group %d of %d events".formatted(group, weight));
      }
      eventsLeft -= weight;
      for (int i = 0; i < figures.length; i++) {
        figures[i] = AttributeFigures.read(shape.fields().get(i), in);
      }
      done++;
      return true;
    }

    private ByteBuffer values() {
      int first = group * valuesAGroup;
      int end = first + valuesAGroup;
      return valuesAGroup == 0
          ? ByteBuffer.allocate(0)
          : slice(valueAt[first], end == valueAt.length ? valuesEnd : valueAt[end]);
    }

    private ByteBuffer encoded() {
      return slice(weightAt, in.at());
    }

    private ByteBuffer slice(int from, int until) {
      return ByteBuffer.wrap(in.bytes(), from, until - from);
    }

    @Override
    public @Nullable AttributeFigures figures(AttributeName name) {
      for (int i = 0; i < figures.length; i++) {
        RollupField field = shape.fields().get(i);
        if (field.name().equals(name)) {
          return figures[i];
        }
      }
      return null;
    }

    @Override
    public long idTime() {
      return idTime;
    }

    @Override
    public long idTail() {
      return TimeUuid.tailOf(0, 0, 0);
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED;
    }

    @Override
    public String type() {
      return type;
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      int by = shape.by().indexOf(name);
      return by >= 0 && read(valueAt[group * valuesAGroup + by], out);
    }

    private boolean read(int at, AttributeValue out) {
      byte[] bytes = in.bytes();
      if (bytes[at] == ABSENT) {
        return false;
      }
      AttributeKind kind = AttributeKind.of(bytes[at]);
      if (kind.isText()) {
        int length = (int) ByteSink.INT.get(bytes, at + 1);
        out.setText(kind, MemorySegment.ofArray(bytes), at + 1L + Integer.BYTES, length);
      } else {
        out.setBits(kind, (long) ByteSink.LONG.get(bytes, at + 1));
      }
      return true;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      AttributeName[] names = shape.by().toArray(AttributeName[]::new);
      Arrays.sort(names);
      for (AttributeName name : names) {
        if (find(name, scratch)) {
          visitor.visit(name, scratch);
        }
      }
    }

    @Override
    public long weight() {
      return weight;
    }
  }
}
