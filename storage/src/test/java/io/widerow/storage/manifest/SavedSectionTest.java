package io.widerow.storage.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.SavedText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the bytes of a section of saved texts are those of FORMAT.md, whatever was cut off or
/// changed is refused, and the names and lengths have their limits. Method: bytes written down by
/// hand.
class SavedSectionTest {
  private static final SavedSection TWO =
      new SavedSection(List.of(new SavedText("a", "x=1"), new SavedText("b.2", "é")));
  private static final byte[] BYTES = bytes("\0\2" + "\1a" + "\0\3x=1" + "\3b.2" + "\0\2é");

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void bytesAreThoseOfTheDocument() throws IOException {
    assertArrayEquals(BYTES, TWO.toBytes());
    assertEquals(TWO, SavedSection.of(BYTES));
    assertEquals(TWO, SavedSection.of(TWO.toSections(6), ManifestSections.RULES));
    assertEquals(List.of(), SavedSection.of(ManifestSections.NONE, 7).texts());
    assertEquals("[6: 17 bytes]", TWO.toSections(6).toString());
  }

  @Test
  void otherBytesAreRefused() throws IOException {
    for (int length = 0; length < BYTES.length; length++) {
      byte[] cut = Arrays.copyOf(BYTES, length);
      assertThrows(IOException.class, () -> SavedSection.of(cut), "cut at " + length);
    }
    var more = new ByteArrayOutputStream();
    more.write(BYTES);
    more.write(0);
    assertThrows(IOException.class, () -> SavedSection.of(more.toByteArray()));
    byte[] twice = bytes("\0\2" + "\1a" + "\0\3x=1" + "\1a" + "\0\1y");
    assertThrows(IOException.class, () -> SavedSection.of(twice));
    byte[] name = bytes("\0\1" + "\1/" + "\0\1y");
    assertThrows(IOException.class, () -> SavedSection.of(name));
  }

  @Test
  void namesAndDefinitionsHaveLimits() {
    String most = "x".repeat(SavedText.DEFINITION_BYTES_MAX);
    assertEquals(most, new SavedText("n".repeat(100), most).definition());
    assertThrows(IllegalArgumentException.class, () -> new SavedText("n".repeat(101), "x"));
    assertThrows(IllegalArgumentException.class, () -> new SavedText("", "x"));
    assertThrows(IllegalArgumentException.class, () -> new SavedText("a b", "x"));
    assertThrows(IllegalArgumentException.class, () -> new SavedText("a", ""));
    assertThrows(IllegalArgumentException.class, () -> new SavedText("a", most + "x"));
  }
}
