package io.widerow.ingest.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: idle bodies take a sixteenth of the heap at most, and bytes that no pool keeps are
/// counted. Method: heaps of all sizes; bodies of the sizes around the limit of the pool, and more
/// of them than it keeps.
class BodyTest {
  private static final long MIB = 1L << 20;

  @Test
  void idleBodiesFollowTheHeap() {
    assertEquals(1, Body.kept(8 * MIB));
    assertEquals(4, Body.kept(64 * MIB));
    assertEquals(8, Body.kept(128 * MIB));
    assertEquals(16, Body.kept(256 * MIB));
    assertEquals(64, Body.kept(16_384 * MIB));
  }

  @Test
  void theBytesThatStayWithARequestAreCounted() {
    Body large = Body.take();
    int _ = large.reserve((int) MIB);
    int held = large.bytes().length;
    assertTrue(held > MIB, held + " bytes");
    assertEquals(held, large.giveCounted());

    List<Body> bodies = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      bodies.add(Body.take());
    }
    int unpooled = 0;
    for (Body body : bodies) {
      unpooled += body.giveCounted() > 0 ? 1 : 0;
    }
    assertTrue(unpooled >= 16, unpooled + " were counted");
  }
}
