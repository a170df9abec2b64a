package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.EventId;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/// Forged tokens.
class TokenTest {
  private static String forged(long time, long tail) {
    ByteBuffer bytes = ByteBuffer.allocate(21).putLong(time).putLong(tail).put((byte) 't');
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 0, 17);
    bytes.putInt((int) crc.getValue());
    return "w1." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  @Test
  void tokenWithoutAValidPositionIsRefused() {
    EventId id = EventId.leastOf(1_700_000_000_000_000_000L);
    String good = new Token(id, "t").toString();
    assertEquals(good, forged(id.time(), id.tail()));
    assertEquals(id, Token.parse(good).id());
    for (String bad :
        new String[] {
          forged(-1, id.tail()),
          forged(Long.MAX_VALUE, id.tail()),
          forged(EventId.LIMIT.time(), id.tail()),
          forged(id.time(), 0),
          forged(id.time(), -1)
        }) {
      assertThrows(QueryException.Refused.class, () -> Token.parse(bad), bad);
    }
  }
}
