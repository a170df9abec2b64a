package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: runs of any length are compared whole and copied exactly, without touching a byte around
/// them, up to the very end of their memory. Method: runs at both ends of arrays and of native
/// memory, and filling them, each byte changed in turn, compared with the runtime's methods.
class ByteRunsTest {
  private static final int AROUND = 3;

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, AROUND})
  void everyByteCounts(int before) {
    for (int length = 0; length < 100; length++) {
      byte[] a = bytes(before + length);
      byte[] b = Arrays.copyOfRange(a, before, before + length);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, a);
        assertTrue(ByteRuns.same(a, before, b, 0, length));
        assertTrue(ByteRuns.same(memory, before, b, 0, length));
        for (int i = 0; i < length; i++) {
          b[i] ^= 0x10;
          assertFalse(ByteRuns.same(a, before, b, 0, length), i + " of " + length);
          assertFalse(ByteRuns.same(memory, before, b, 0, length), i + " of " + length);
          b[i] ^= 0x10;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, AROUND})
  void nothingElseIsCopied(int around) {
    for (int length = 0; length < 100; length++) {
      byte[] source = bytes(around + length);
      byte[] expected = bytes(around + length + around);
      byte[] copied = expected.clone();
      System.arraycopy(source, around, expected, around, length);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, copied);
        ByteRuns.copy(source, around, memory, around, length);
        assertArrayEquals(expected, memory.toArray(ValueLayout.JAVA_BYTE));
        MemorySegment from = arena.allocateFrom(ValueLayout.JAVA_BYTE, source);
        ByteRuns.copy(from, around, copied, around, length);
        assertArrayEquals(expected, copied);
      }
    }
  }
}
