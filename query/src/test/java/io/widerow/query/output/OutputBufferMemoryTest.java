package io.widerow.query.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.HeldMemory;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import org.junit.jupiter.api.Test;

/// Goal: an output counts before it grows, and an escaped text takes no more than it has. Method:
/// puts with a small budget, and a long text in pieces against the same text in one.
class OutputBufferMemoryTest {
  @Test
  void growthIsRefused() {
    QueryMemory all = new QueryMemory(1 << 20);
    try (HeldMemory held = new HeldMemory(all)) {
      OutputBuffer out = new OutputBuffer(1 << 10, held);
      assertThrows(
          QueryException.OverBudget.class,
          () -> {
            while (true) {
              out.putJson("a \"text\" that is longer than eight bytes");
            }
          });
      assertTrue(out.bytes().length <= 1 << 20);
      out.truncate(0);
      out.put("still usable");
      assertEquals("still usable", out.toString());
    }
    assertEquals(0, all.bytesUsed());
  }

  @Test
  void whatIsHeldIsTheArray() {
    try (HeldMemory held = new HeldMemory(new QueryMemory(1L << 30))) {
      OutputBuffer out = new OutputBuffer(16, held);
      for (int i = 0; i < 10_000; i++) {
        out.put("0123456789");
      }
      assertEquals(out.bytes().length, held.bytes());
    }
  }

  @Test
  void aLongTextIsEscapedAsAShortOne() {
    String unit = "a\u0001\"\u00e9\u20ac\ud83d\ude00\\ plain text of some length ";
    for (int times : new int[] {1, 400, 500, 600, 2_000, 5_000}) {
      String text = unit.repeat(times);
      OutputBuffer whole = new OutputBuffer(64);
      whole.putJson(text);
      OutputBuffer pieces = new OutputBuffer(64);
      for (int i = 0; i < times; i++) {
        pieces.putJson(unit);
      }
      assertEquals(pieces.toString(), whole.toString());
      assertTrue(whole.bytes().length <= 4 * whole.length() + (1 << 18));
    }
  }
}
