package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.MutationGroup;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a memory that is nearly full keeps whole groups, whatever it adds by itself. Method: one
/// key with so many fragments that a group makes it add one that says what all say; every amount of
/// room that is left for that group.
class TableMemoryTest {
  private static final int BYTES = 64 << 10;
  private static final int EARLIER = 7; // fragments of the key; one more makes it merge them
  private static final int VALUE_BYTES = 560;
  private static final int OTHERS = 50;

  private final MutationGroup group = new MutationGroup(BYTES);

  private static byte[] key(int number) {
    return ByteBuffer.allocate(6).put((byte) 1).putInt(number).put((byte) 1).array();
  }

  private static byte[] value(int number, int bytes) {
    byte[] value = new byte[bytes];
    Arrays.fill(value, (byte) number);
    return value;
  }

  private void begin() {
    group.clear();
  }

  private void tell(int row, int column, byte[] value) {
    var _ = group.row(key(row), 1).cell(column, null, value, 10, 0, 0);
  }

  /// False when the memory has no room for it.
  private boolean add(TableMemory memory, long lsn) {
    group.end();
    if (!memory.fits(group.bytes(), group.count())) {
      return false;
    }
    var _ = memory.stage(group.records());
    memory.add(group.bytes(), group.count(), lsn);
    return true;
  }

  @Test
  void whatIsMergedTakesNoRoomOfTheGroup() {
    int full = 0;
    int tight = 0;
    for (int filler = 40_000; filler < 60_000; filler += 24) {
      try (var memory = new TableMemory(BYTES, 0, 0)) {
        for (int i = 0; i < EARLIER; i++) {
          begin();
          tell(0, i, value(i, VALUE_BYTES));
          assertTrue(add(memory, i + 1));
        }
        begin();
        tell(1, 0, value(1, filler));
        if (!add(memory, EARLIER + 1)) {
          continue;
        }
        begin();
        tell(0, EARLIER, value(EARLIER, VALUE_BYTES));
        for (int i = 0; i < OTHERS; i++) {
          tell(2 + i, 0, value(i, 8));
        }
        if (add(memory, EARLIER + 2)) {
          tight++;
          check(memory, filler);
        } else {
          full++;
        }
      }
    }
    assertTrue(full > 0 && tight > 0, full + " full, " + tight + " not");
  }

  private static void check(TableMemory memory, int filler) {
    try (var rows = new MergedRows(List.of(memory.fragments(KeyRange.ALL, false, 99)), false)) {
      for (int row = 0; row < 2 + OTHERS; row++) {
        assertTrue(rows.next());
        assertArrayEquals(key(row), Arrays.copyOf(rows.key(), rows.keyBytes()));
        rows.merge().ready();
        int cells = row == 0 ? EARLIER + 1 : 1;
        for (int i = 0; i < cells; i++) {
          FragmentReader cell = rows.merge().nextCell(Long.MIN_VALUE);
          assertTrue(cell != null, "row " + row);
          byte[] told =
              cell.memory()
                  .asSlice(cell.valueAt(), cell.valueBytes())
                  .toArray(ValueLayout.JAVA_BYTE);
          byte[] expected =
              switch (row) {
                case 0 -> value(i, VALUE_BYTES);
                case 1 -> value(1, filler);
                default -> value(row - 2, 8);
              };
          assertArrayEquals(expected, told, "row " + row);
        }
        assertEquals(null, rows.merge().nextCell(Long.MIN_VALUE));
      }
      assertTrue(!rows.next());
    }
  }
}
