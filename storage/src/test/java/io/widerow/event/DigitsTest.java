package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: digits equal the output of the JDK. Method: compare all decimals below 100,000, the edges
/// of each width, and random words with the JDK.
class DigitsTest {
  private static String text(long ascii) {
    byte[] bytes =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(ascii).array();
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  private static void checkDecimal(int number) {
    String expected = Integer.toString(100_000_000 + number).substring(1);
    assertEquals(expected, text(Digits.decimal(number)));
  }

  @Test
  void decimalsEqualTheJdks() {
    for (int number = 0; number < 100_000; number++) {
      checkDecimal(number);
      checkDecimal(99_999_999 - number);
      checkDecimal(number * 1_000 + number % 1_000);
    }
  }

  @Test
  void hexEqualsTheJdks() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      int bits = i < 70_000 ? i : random.nextInt();
      assertEquals("%08x".formatted(bits), text(Digits.hex(bits)));
    }
  }

  @Test
  void idsEqualTheJdks() {
    Random random = new Random(2);
    for (int i = 0; i < 100_000; i++) {
      long time = random.nextLong() & 0x0fff_ffff_ffff_ffffL;
      EventId id = new EventId(time, TimeUuid.tailOf(random.nextInt(100), 3, random.nextInt()));
      UUID uuid = id.toUuid();
      assertEquals(uuid.toString(), id.toString());
    }
  }
}
