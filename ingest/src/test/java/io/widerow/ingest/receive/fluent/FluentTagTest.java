package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.join;
import static io.widerow.ingest.receive.fluent.FluentMessages.pack;
import static io.widerow.ingest.receive.fluent.FluentMessages.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.FittedEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: no tag costs an event, because its chunk is acknowledged. Method: tags of each form and
/// length, in each form of a message.
class FluentTagTest {
  private static final String ID = "0123456789abcdef".repeat(4);
  private static final String POD =
      "kube.var.log.containers.shop-frontend-7d4b9c6f5d-x2x9k_prod-eu_";

  private static MemoryStore.Stored event(Object tag, Map<String, String> record) {
    Decoding.Result result = Decoding.of(pack(List.of(tag, 1, record)), FluentDecoding::decode);
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    return result.stored().getFirst();
  }

  private static String typeOf(String text) {
    byte[] type = FittedEvent.type(text.getBytes(StandardCharsets.UTF_8));
    return new String(type, StandardCharsets.UTF_8);
  }

  private static MemoryStore.Stored event(Object tag) {
    return event(tag, Map.of("k", "v"));
  }

  @Test
  void aShortTagIsTheType() {
    for (String tag : List.of("a", "kube.app", "x".repeat(128), "é".repeat(64))) {
      assertEquals(tag, event(tag).type());
      assertEquals("{k=v}", event(tag).attributes().toString());
    }
  }

  @Test
  void aLongTagOfKubernetesHasItsContainerAsType() {
    String tag = POD + "cart_2-" + ID + ".log";
    assertEquals("cart_2", event(tag).type());
    assertEquals("{k=v, tag=" + tag + "}", event(tag).attributes().toString());
    String longName = POD + "c".repeat(200) + "-" + ID + ".log";
    assertEquals(typeOf("c".repeat(200)), event(longName).type());
    String none = POD + "cart-" + ID + "0.log";
    assertEquals(typeOf(none), event(none).type());
  }

  @Test
  void anyOtherLongTagIsCutAtACharacter() {
    String tag = "x".repeat(110) + "é" + "y".repeat(70_000);
    assertTrue(event(tag).type().matches("x{110}~[0-9a-f]{16}"), event(tag).type());
    assertEquals(tag, event(tag).attributes().get("tag"));
    assertTrue(event("é".repeat(65)).type().matches("é{55}~[0-9a-f]{16}"));
    assertNotEquals(event(tag + "1").type(), event(tag + "2").type());
  }

  @Test
  void theTagOfTheRecordIsKept() {
    String tag = "x".repeat(129);
    assertEquals(
        "{attributes.tag=own, tag=" + tag + "}",
        event(tag, Map.of("tag", "own")).attributes().toString());
  }

  @Test
  void bytesThatAreNotUtf8AreEscaped() {
    byte[] bad = {(byte) 0xe9};
    assertEquals("x\\xE9", event(join(utf8("x"), bad)).type());
    byte[] longer = utf8("x".repeat(126)); // 130 bytes with the last escaped
    MemoryStore.Stored event = event(join(longer, bad));
    assertEquals(typeOf("x".repeat(126) + "\\xE9"), event.type());
    assertEquals("x".repeat(126) + "\\xE9", event.attributes().get("tag"));
  }

  @Test
  void eachFormOfAMessageIsStored() {
    String tag = POD + "cart-" + ID + ".log";
    byte[] packed = join(pack(List.of(1, Map.of("log", "a"))), pack(List.of(2, Map.of())));
    byte[] body =
        join(
            pack(List.of(tag, List.of(List.of(3, Map.of("log", "b"))), Map.of("chunk", "1"))),
            pack(List.of(tag, packed, Map.of("chunk", "2"))),
            pack(List.of("short", 4, Map.of("log", "c"))));
    Decoding.Result result = Decoding.of(body, FluentDecoding::decode);
    assertEquals(0, result.refused().count());
    assertEquals(
        List.of("cart", "cart", "cart", "short"),
        result.stored().stream().map(MemoryStore.Stored::type).toList());
    assertEquals(
        3,
        result.stored().stream()
            .filter(event -> tag.equals(event.attributes().get("tag")))
            .count());
  }

  @Test
  void noLengthOfATagCostsItsEvent() {
    for (int length = 100; length < 300; length++) {
      String tag = "é".repeat(length / 2) + "x".repeat(length % 2);
      byte[] type = event(tag).type().getBytes(StandardCharsets.UTF_8);
      boolean whole = type.length == length;
      assertTrue(length <= 128 ? whole : type.length >= 127 && type.length <= 128);
    }
  }
}
