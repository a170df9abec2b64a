package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.linecorp.armeria.common.HttpData;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Goal: a piece keeps its bytes until it is released, whenever that is, and no memory leaks.
/// Method: pieces of random sizes, released at random; the allocator's own count.
class PieceBuffersTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final PieceBuffers buffers = new PieceBuffers(allocator);

  private HttpData put(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return buffers.copyOf(bytes, 0, bytes.length);
  }

  private static long address(HttpData piece) {
    return piece.byteBuf().memoryAddress();
  }

  @Test
  void piecesTakeTurns() {
    HttpData first = put("one");
    HttpData second = put("two");
    long place = address(first);
    assertNotEquals(place, address(second));
    first.close();
    HttpData third = put("3");
    assertEquals(place, address(third));
    assertEquals("two3", second.toStringAscii() + third.toStringAscii());
    second.close();
    third.close();
    buffers.close();
    assertEquals(0, allocator.metric().usedDirectMemory());
  }

  @Test
  void aPieceKeepsItsBytesUntilItIsReleased() {
    Random random = new Random(7);
    List<HttpData> sent = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      String text = Integer.toString(i).repeat(1 + random.nextInt(100));
      sent.add(put(text));
      texts.add(text);
      while (!sent.isEmpty() && random.nextInt(3) != 0) {
        int place = random.nextInt(sent.size());
        HttpData piece = sent.remove(place);
        assertEquals(texts.remove(place), piece.toStringAscii());
        piece.close();
      }
    }
    buffers.close();
    for (int i = 0; i < sent.size(); i++) {
      ByteBuf bytes = sent.get(i).byteBuf();
      assertEquals(texts.get(i), bytes.toString(StandardCharsets.US_ASCII));
      sent.get(i).close();
    }
    assertEquals(0, allocator.metric().usedDirectMemory());
  }
}
