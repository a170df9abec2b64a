package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.Level;
import io.widerow.rollup.RollupField;
import io.widerow.storage.Grouping;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.GroupedEvents;
import io.widerow.storage.sketch.ValueTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The groups of a [Grouping]: how many events each has, and their aggregates. It is a hash table
/// with open addressing.
///
/// ```
///   key     type | end of the step | number of a value, or 0, for each name that groups
/// ```
///
/// The groups of one type and step that a single name divides are found by the number of its value,
/// as long as no other type or step is asked for.
///
/// - Threads: one.
/// - Memory: the values, and some 100 bytes and the aggregates for each group.
final class GroupTable implements BlockFold.Result {
  private static final long GROUP_BYTES = 96; // with its slot and without its aggregates
  private static final long FIGURES_BYTES = 160;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  private final AttributeName[] names; // that group
  private final boolean level; // the last name is the level
  private final boolean ofAnyType;
  private final List<RollupField> fields;
  private final List<String> types = new ArrayList<>();
  private final Map<String, Integer> typeNumbers = new HashMap<>();
  private final ValueTable[] values; // by name: those of all groups
  private final int width; // of a key
  private long[] keys;
  private long[] weights = new long[8];
  private long[] idTimes = new long[8];
  private long[] idTails = new long[8];
  private AttributeFigures[] figures; // by group and field
  private int[] slots = new int[16]; // hash of the key, linear probing: number of the group + 1
  private int size;
  private long figureBytes;
  private String typeLast = ""; // of the last group, with its number
  private int typeLastNumber = -1;
  private long stepLast;
  private int[] byNumber = {}; // number of the group + 1, of the last type and step

  /// @param names that group; the level is the last one
  GroupTable(Grouping fold, AttributeName[] names) {
    this.names = names;
    this.level = fold.level();
    this.ofAnyType = fold.ofAnyType();
    this.fields = fold.fields();
    this.values = new ValueTable[names.length];
    Arrays.setAll(values, _ -> new ValueTable(true));
    this.width = 2 + names.length;
    this.keys = new long[8 * width];
    this.figures = new AttributeFigures[8 * fields.size()];
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long heldBytes() {
    long bytes = figureBytes + size * (GROUP_BYTES + (long) Long.BYTES * width);
    bytes += (long) Integer.BYTES * byNumber.length;
    for (ValueTable of : values) {
      bytes += of.bytes();
    }
    return bytes;
  }

  /// The number of a value of a name, from 1.
  int numberOf(int name, AttributeValue value) {
    return values[name].add(value) + 1;
  }

  /// All numbers of a name's values are below it.
  int numberLimit(int name) {
    return values[name].size() + 1;
  }

  /// Sets a value for the next [#groupOf].
  ///
  /// @param number of the value; 0 for none
  void set(int name, int number) {
    keys[size * width + 2 + name] = number;
  }

  /// The group of a type, a step and the values that [#set] has set.
  ///
  /// @param stepLimit end of the step
  /// @param idTime of an event in it
  int groupOf(String type, long stepLimit, long idTime, long idTail) {
    int begin = size * width;
    int number = typeOf(type);
    keys[begin] = number;
    keys[begin + 1] = stepLimit;
    if (names.length != 1) {
      return groupAt(begin, idTime, idTail);
    }
    if (number != typeLastNumber || stepLimit != stepLast) {
      Arrays.fill(byNumber, 0);
      typeLastNumber = number;
      stepLast = stepLimit;
    }
    int value = (int) keys[begin + 2];
    if (value >= byNumber.length) {
      byNumber = Arrays.copyOf(byNumber, Math.max(value + 1, 2 * byNumber.length));
    }
    if (byNumber[value] == 0) {
      byNumber[value] = groupAt(begin, idTime, idTail) + 1;
    }
    return byNumber[value] - 1;
  }

  /// The group of a key, a new one when there is none.
  private int groupAt(int begin, long idTime, long idTail) {
    int slot = slotOf(begin);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    slots[slot] = size + 1;
    weights[size] = 0;
    idTimes[size] = idTime;
    idTails[size] = idTail;
    for (int field = 0; field < fields.size(); field++) {
      AttributeFigures begun = AttributeFigures.ofGroup(fields.get(field));
      figures[size * fields.size() + field] = begun;
      figureBytes += FIGURES_BYTES + begun.bytes();
    }
    size++;
    if (size == weights.length) {
      grow();
    }
    return size - 1;
  }

  @SuppressWarnings("ReferenceEquality") // a partition hands out the same string again and again
  private int typeOf(String type) {
    if (ofAnyType && !types.isEmpty()) {
      return 0; // the first one stands for all
    }
    if (type == typeLast && typeLastNumber >= 0) {
      return typeLastNumber;
    }
    typeLast = type;
    Integer known = typeNumbers.putIfAbsent(type, types.size());
    if (known != null) {
      return known;
    }
    types.add(type);
    return types.size() - 1;
  }

  void addEvents(int group, long events) {
    weights[group] += events;
  }

  /// The aggregates of a group.
  ///
  /// @param field number of the field
  AttributeFigures figures(int group, int field) {
    return figures[group * fields.size() + field];
  }

  /// Notes that aggregates take more memory.
  void holds(long bytesMore) {
    figureBytes += bytesMore;
  }

  private int slotOf(int begin) {
    int mask = slots.length - 1;
    int slot = hash(begin) & mask;
    while (slots[slot] != 0
        && !Arrays.equals(
            keys, (slots[slot] - 1) * width, slots[slot] * width, keys, begin, begin + width)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int hash(int begin) {
    long hash = 0;
    for (int at = begin; at < begin + width; at++) {
      hash = (hash ^ keys[at]) * MIX;
      hash ^= hash >>> 29;
    }
    return (int) (hash >>> 32);
  }

  private void grow() {
    int room = 2 * size;
    keys = Arrays.copyOf(keys, room * width);
    weights = Arrays.copyOf(weights, room);
    idTimes = Arrays.copyOf(idTimes, room);
    idTails = Arrays.copyOf(idTails, room);
    figures = Arrays.copyOf(figures, room * fields.size());
    slots = new int[2 * room];
    for (int group = 0; group < size; group++) {
      slots[slotOf(group * width)] = group + 1;
    }
  }

  @Override
  public Shown shown() {
    return new Shown();
  }

  /// Shows the groups one after the other.
  ///
  /// - Threads: one.
  final class Shown implements BlockFold.Shown, GroupedEvents {
    private int group = -1;

    @Override
    public boolean next() {
      return ++group < size;
    }

    @Override
    public @Nullable AttributeFigures figures(AttributeName name) {
      for (int field = 0; field < fields.size(); field++) {
        if (fields.get(field).name().equals(name)) {
          return figures[group * fields.size() + field];
        }
      }
      return null;
    }

    @Override
    public @Nullable Level level(AttributeValue scratch) {
      if (!level) {
        return GroupedEvents.super.level(scratch);
      }
      boolean text = show(names.length - 1, scratch) && scratch.kind() == AttributeKind.STRING;
      return text ? Level.ofWord(scratch.toString()) : null;
    }

    @Override
    public long weight() {
      return weights[group];
    }

    @Override
    public long idTime() {
      return idTimes[group];
    }

    @Override
    public long idTail() {
      return idTails[group];
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED; // events with ids of their own are not grouped
    }

    @Override
    public String type() {
      return types.get((int) keys[group * width]);
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      for (int i = 0; i < names.length; i++) {
        if (names[i].equals(name)) {
          return show(i, out);
        }
      }
      return false;
    }

    private boolean show(int name, AttributeValue out) {
      int number = (int) keys[group * width + 2 + name];
      if (number > 0) {
        values[name].show(number - 1, out);
      }
      return number > 0;
    }

    @Override
    public void forEach(AttributeValue value, AttributeVisitor visitor) {
      Integer[] order = new Integer[names.length];
      Arrays.setAll(order, i -> i);
      Arrays.sort(order, (a, b) -> names[a].compareTo(names[b]));
      for (int name : order) {
        if (show(name, value)) {
          visitor.visit(names[name], value);
        }
      }
    }
  }
}
