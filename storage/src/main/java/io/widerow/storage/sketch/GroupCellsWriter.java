package io.widerow.storage.sketch;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.codec.ByteSink;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Writes the cells of one rollup for each partition of a segment, see [GroupCells]. The events
/// come in order of ids, so one step is counted at a time.
///
/// - Threads: one.
/// - Memory: the groups of a partition, at most [GroupCells#GROUPS_KNOWN_MAX]; the aggregates of a
///   step, about [#STEP_BYTES_MAX] bytes; the encoded cells, about [GroupCells#PIECE_BYTES_MAX].
public final class GroupCellsWriter {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /// Memory in bytes from which a step has too many aggregates, and the number of events between
  /// two checks of it.
  private static final long STEP_BYTES_MAX = 32 << 20;

  private static final int LOOK_EVENTS = 1 << 12;

  private static final AttributeFigures[] NONE = new AttributeFigures[0];
  private static final int SLOTS_LEAST = 64;
  private static final int SLOTS_CLEARED = 1 << 10; // a larger table is reallocated

  private final RollupShape shape;
  private final AttributeValue scratch = new AttributeValue();

  // The groups of the partition.
  private final ByteSink keys = new ByteSink();
  private int[] keyEnds = new int[SLOTS_LEAST]; // in `keys`, by group
  private int[] slots = new int[2 * SLOTS_LEAST]; // group + 1; 0 for a free one
  private int groups;
  private byte[] key = new byte[GroupCells.KEY_BYTES_MAX + Long.BYTES];
  private int keyBytes;

  // The groups of the step.
  private long[] groupEvents = new long[SLOTS_LEAST]; // by group
  private AttributeFigures[][] figures = new AttributeFigures[SLOTS_LEAST][]; // of those in use
  private int[] used = new int[SLOTS_LEAST];
  private int usedCount;

  private long stepBefore;
  private long step;
  private long tickLimit; // end of the step; 0 before the first event of a partition
  private long events;
  private long ownIds;
  private boolean many;
  private int steps;
  private final ByteSink stepsOut = new ByteSink();
  private final ByteSink groupsOut = new ByteSink();

  public GroupCellsWriter(RollupShape shape) {
    this.shape = shape;
  }

  /// The shape of its cells.
  public RollupShape shape() {
    return shape;
  }

  /// Starts a partition.
  ///
  /// @param fromTicks time of ids at which its bucket starts
  public void begin(long fromTicks) {
    stepBefore = fromTicks / shape.stepTicks();
    tickLimit = 0;
  }

  /// Counts an event.
  public void add(EventView event) {
    if (event.idTime() >= tickLimit) {
      endStep();
      step = event.idTime() / shape.stepTicks();
      tickLimit = (step + 1) * shape.stepTicks();
    }
    events++;
    ownIds += event.version() == EventLayout.VERSION_ASSIGNED ? 0 : 1;
    if (!many) {
      int group = group(event);
      many = group < 0 || !addTo(group, event);
    }
  }

  private boolean addTo(int group, EventView event) {
    AttributeFigures[] of = figures[group];
    if (groupEvents[group] == 0) {
      if (usedCount == GroupCells.GROUPS_MAX) {
        return false;
      }
      of = new AttributeFigures[shape.fields().size()];
      for (int i = 0; i < of.length; i++) {
        of[i] = new AttributeFigures(shape.fields().get(i));
      }
      figures[group] = of;
      used = usedCount == used.length ? Arrays.copyOf(used, 2 * usedCount) : used;
      used[usedCount++] = group;
    }
    groupEvents[group]++;
    for (int i = 0; i < of.length; i++) {
      RollupField field = shape.fields().get(i);
      if (event.find(field.name(), scratch) && !of[i].add(scratch)) {
        return false;
      }
    }
    return events % LOOK_EVENTS != 0 || stepBytes() <= STEP_BYTES_MAX;
  }

  private long stepBytes() {
    long bytes = 0;
    for (int i = 0; i < usedCount; i++) {
      for (AttributeFigures of : figures[used[i]]) {
        bytes += of.bytes();
      }
    }
    return bytes;
  }

  /// The group of an event; negative when it is one too many.
  private int group(EventView event) {
    if (!readKey(event)) {
      return -1;
    }
    int mask = slots.length - 1;
    int slot = hash() & mask;
    while (slots[slot] != 0) {
      int group = slots[slot] - 1;
      int begin = group == 0 ? 0 : keyEnds[group - 1];
      if (Arrays.equals(keys.bytes(), begin, keyEnds[group], key, 0, keyBytes)) {
        return group;
      }
      slot = (slot + 1) & mask;
    }
    if (groups == GroupCells.GROUPS_KNOWN_MAX
        || keys.length() + keyBytes > GroupCells.PIECE_BYTES_MAX) {
      return -1;
    }
    slots[slot] = ++groups;
    if (groups > keyEnds.length) {
      keyEnds = Arrays.copyOf(keyEnds, 2 * keyEnds.length);
      groupEvents = Arrays.copyOf(groupEvents, keyEnds.length);
      figures = Arrays.copyOf(figures, keyEnds.length);
    }
    keys.put(key, 0, keyBytes);
    keyEnds[groups - 1] = keys.length();
    if (2 * groups > slots.length) {
      grow();
    }
    return groups - 1;
  }

  private void grow() {
    int[] old = slots;
    slots = new int[2 * old.length];
    int mask = slots.length - 1;
    for (int group = 0; group < groups; group++) {
      int begin = group == 0 ? 0 : keyEnds[group - 1];
      keyBytes = keyEnds[group] - begin;
      System.arraycopy(keys.bytes(), begin, key, 0, keyBytes);
      LONG.set(key, keyBytes, 0L);
      int slot = hash() & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = group + 1;
    }
  }

  /// Reads the values that group an event, as the cells have them. False when they are too long.
  private boolean readKey(EventView event) {
    int to = 0;
    for (AttributeName name : shape.by()) {
      boolean found =
          name.equals(Level.FIELD) ? Level.find(event, scratch) : event.find(name, scratch);
      boolean text = found && scratch.kind().isText();
      int bytes = text ? scratch.length() : Long.BYTES;
      if (to + 1 + Integer.BYTES + bytes > GroupCells.KEY_BYTES_MAX) {
        return false;
      }
      key[to++] = found ? scratch.kind().code : GroupCells.ABSENT;
      if (text) {
        INT.set(key, to, bytes);
        to = scratch.copyTo(key, to + Integer.BYTES);
      } else if (found) {
        LONG.set(key, to, scratch.bits());
        to += Long.BYTES;
      }
    }
    keyBytes = to;
    LONG.set(key, to, 0L); // the hash reads whole words
    return true;
  }

  private int hash() {
    return (int) (ValueHash.of((byte) 0, key, 0, keyBytes) >>> 32);
  }

  private void endStep() {
    if (events == 0) {
      return;
    }
    groupsOut.clear();
    if (!many) {
      writeGroups();
      many = stepsOut.length() + groupsOut.length() > GroupCells.PIECE_BYTES_MAX;
    }
    stepsOut.putVarint(step - stepBefore);
    stepsOut.putVarint(events);
    stepsOut.putVarint(ownIds);
    stepsOut.putVarint(many ? 0 : groupsOut.length());
    if (!many) {
      stepsOut.put(groupsOut);
    }
    for (int i = 0; i < usedCount; i++) {
      figures[used[i]] = NONE;
      groupEvents[used[i]] = 0;
    }
    usedCount = 0;
    stepBefore = step;
    steps++;
    events = 0;
    ownIds = 0;
    many = false;
  }

  private void writeGroups() {
    Arrays.sort(used, 0, usedCount);
    groupsOut.putVarint(usedCount);
    int before = -1;
    for (int i = 0; i < usedCount; i++) {
      int group = used[i];
      groupsOut.putVarint(group - before - 1L);
      groupsOut.putVarint(groupEvents[group]);
      for (AttributeFigures of : figures[group]) {
        of.write(groupsOut);
      }
      before = group;
    }
  }

  /// Ends a partition that has events, and writes its cells.
  public void end(ByteSink out) {
    endStep();
    out.putVarint(groups);
    out.put(keys);
    out.putVarint(steps);
    out.put(stepsOut);
    keys.clear();
    stepsOut.clear();
    if (slots.length > SLOTS_CLEARED) {
      slots = new int[2 * SLOTS_LEAST];
    } else {
      Arrays.fill(slots, 0);
    }
    groups = 0;
    steps = 0;
  }
}
