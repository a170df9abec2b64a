package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a lookup returns the right name, whatever names are used and whichever share a slot.
class AttributeNamesTest {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void givesTheNameAskedFor(long seed) {
    var random = new SplittableRandom(seed);
    var names = new AttributeNames();
    for (int i = 0; i < 20_000; i++) {
      String name = "é" + random.nextInt(2_000);
      byte[] padded = ("xx" + name + "yy").getBytes(StandardCharsets.UTF_8);
      AttributeName found = names.at(MemorySegment.ofArray(padded), 2, padded.length - 4);

      assertEquals(AttributeName.of(name), found);
      assertEquals(name, found.toString());
    }
  }

  @Test
  void aNameThatComesAgainIsTheSameObject() {
    var names = new AttributeNames();
    MemorySegment source = AttributeName.BODY.utf8();

    assertSame(names.at(source, 0, 4), names.at(source, 0, 4));
  }
}
