package io.widerow.cql.fragment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.codec.ByteSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: the merge of a row depends on its fragments only. Method: fragments in memories of
/// different sizes, merged one after the other by the same merge.
class RowMergeTest {
  private static final Path PLACE = Path.of("test");

  /// A fragment with one cell, at an offset of a memory.
  ///
  /// @param value null for a tombstone
  private static void add(RowMerge merge, int offset, byte @Nullable [] value) {
    ByteSink out = new ByteSink();
    FragmentEncoder encoder = new FragmentEncoder();
    encoder.begin(out);
    encoder.cell(new MutationGroup.Cell(1, null, value, 1_000, 0, Long.MAX_VALUE));
    byte[] memory = new byte[offset + out.length()];
    System.arraycopy(out.bytes(), 0, memory, offset, out.length());
    merge.add(MemorySegment.ofArray(memory), offset, memory.length, PLACE);
  }

  /// A tombstone has no value: two of one time are compared without one, wherever the readers have
  /// been before.
  @Test
  void tombstonesOfOneTimeInAnyMemories() {
    RowMerge merge = new RowMerge();
    for (int offset : new int[] {5_000, 0, 300}) {
      merge.begin();
      add(merge, offset, new byte[] {7});
      add(merge, offset, new byte[] {6});
      merge.ready();
      FragmentReader best = Objects.requireNonNull(merge.nextCell(Long.MIN_VALUE));
      byte[] found = new byte[1];
      MemorySegment.copy(best.memory(), ValueLayout.JAVA_BYTE, best.valueAt(), found, 0, 1);
      assertTrue(Arrays.equals(new byte[] {7}, found));
      merge.begin();
      add(merge, 0, null);
      add(merge, 0, null);
      merge.ready();
      FragmentReader tombstone = Objects.requireNonNull(merge.nextCell(Long.MIN_VALUE));
      assertTrue(tombstone.isTombstone());
      assertEquals(1_000, tombstone.timestamp());
      assertNull(merge.nextCell(Long.MIN_VALUE));
    }
  }
}
