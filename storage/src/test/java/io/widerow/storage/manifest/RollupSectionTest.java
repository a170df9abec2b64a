package io.widerow.storage.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupShape;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the bytes of the section of rollups are those of FORMAT.md, and whatever was cut off or
/// changed is refused. Method: bytes written down by hand.
class RollupSectionTest {
  private static final RollupSection TWO =
      new RollupSection(
          List.of(
              new RollupDefinition(
                  "a", "x*", new RollupShape(60, List.of(), List.of()), "count", null),
              new RollupDefinition(
                  "b",
                  "y",
                  new RollupShape(
                      1,
                      List.of(AttributeName.of("é")),
                      List.of(new RollupField(AttributeName.of("n"), 5))),
                  "sum(n)",
                  Duration.ofNanos(258))));
  private static final String NO_KEEP = "\0\0\0\0\0\0\0\0";
  private static final byte[] BYTES =
      bytes(
          "\0\2"
              + ("\0\1a\0\2x*\0\5count\74" + NO_KEEP + "\0\0")
              + ("\0\1b\0\1y\0\6sum(n)\1" + "\0\0\0\0\0\0\1\2" + "\1\0\2é" + "\1\0\1n\5"));

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void bytesAreThoseOfTheDocument() throws IOException {
    assertArrayEquals(BYTES, TWO.toBytes());
    assertEquals(TWO, RollupSection.of(BYTES));
    assertEquals(TWO, RollupSection.of(TWO.toSections()));
    assertEquals(List.of(), RollupSection.of(ManifestSections.NONE).rollups());
    assertEquals("[3: %d bytes]".formatted(BYTES.length), TWO.toSections().toString());
  }

  @Test
  void otherBytesAreRefused() throws IOException {
    for (int length = 0; length < BYTES.length; length++) {
      byte[] cut = Arrays.copyOf(BYTES, length);
      assertThrows(IOException.class, () -> RollupSection.of(cut), "cut at " + length);
    }
    var more = new ByteArrayOutputStream();
    more.write(BYTES);
    more.write(0);
    assertThrows(IOException.class, () -> RollupSection.of(more.toByteArray()));
    for (String bad :
        List.of(
            "\0\1a\0\1x\0\5count\2" + NO_KEEP + "\0\0", // steps of two minutes
            "\0\1/\0\1x\0\5count\1" + NO_KEEP + "\0\0",
            "\0\1a\0\0\0\5count\1" + NO_KEEP + "\0\0", // no glob
            "\0\1a\0\1x\0\5count\1" + NO_KEEP + "\0\1\0\1n\0", // no figures
            "\0\1a\0\1x\0\5count\1" + NO_KEEP + "\2\0\1n\0\1n\0")) { // a name twice
      assertThrows(IOException.class, () -> RollupSection.of(bytes("\0\1" + bad)), bad);
    }
    String one = "\0\1a\0\1x\0\5count\1" + NO_KEEP + "\0\0";
    assertEquals(1, RollupSection.of(bytes("\0\1" + one)).rollups().size());
    assertThrows(IOException.class, () -> RollupSection.of(bytes("\0\2" + one + one)));
  }
}
