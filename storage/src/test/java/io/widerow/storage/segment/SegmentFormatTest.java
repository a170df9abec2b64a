package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.LayoutRows;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.text.PieceFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: the code agrees with FORMAT-segment.md and with the feature bits of FORMAT.md, the
/// contract with other programs.
class SegmentFormatTest {
  @Test
  void headerIsAsDocumented() throws IOException {
    assertEquals(documented("segment header"), LayoutRows.of(SegmentFormat.HEADER));
  }

  @Test
  void footerIsAsDocumented() throws IOException {
    assertEquals(documented("segment footer"), LayoutRows.of(SegmentFormat.FOOTER));
  }

  @Test
  void featureBitsAreAsDocumented() throws IOException {
    List<String> bits =
        documented("FORMAT.md", "feature bits")
            .lines()
            .map(row -> row.substring(0, row.indexOf('|', row.indexOf('|', 1) + 1) + 1))
            .toList();
    assertEquals(
        Stream.concat(
                rows("FORMAT", StoreFormat.INCOMPATIBLE_KNOWN),
                rows("segment", SegmentFormat.INCOMPATIBLE_KNOWN))
            .toList(),
        bits);
  }

  private static Stream<String> rows(String file, long bits) {
    return IntStream.range(0, Long.SIZE)
        .filter(bit -> (bits >>> bit & 1) != 0)
        .mapToObj(bit -> "| %s | %d |".formatted(file, bit));
  }

  @Test
  void codesAreAsDocumented() throws IOException {
    assertCodes(
        "text encodings",
        List.of(
            PieceFormat.CONSTANT + " | CONSTANT",
            PieceFormat.DICTIONARY + " | DICTIONARY",
            PieceFormat.RAW + " | RAW",
            PieceFormat.TEMPLATE + " | TEMPLATE",
            PieceFormat.NUMBER + " | NUMBER",
            PieceFormat.DIGITS + " | DIGITS",
            PieceFormat.TIME + " | TIME",
            PieceFormat.TIME_MILLIS + " | TIME_MILLIS",
            PieceFormat.NUMBER_OR + " | NUMBER_OR"));
    assertCodes(
        "long transforms",
        List.of(
            LongEncoder.TRANSFORM_PLAIN + " | PLAIN",
            LongEncoder.TRANSFORM_DELTA + " | DELTA",
            LongEncoder.TRANSFORM_DELTA2 + " | DELTA2",
            LongEncoder.TRANSFORM_SERIES + " | SERIES",
            LongEncoder.TRANSFORM_SERIES2 + " | SERIES2"));
    assertCodes(
        "long bodies",
        List.of(
            LongEncoder.BODY_CONSTANT + " | CONSTANT",
            LongEncoder.BODY_PACKED + " | PACKED",
            LongEncoder.BODY_PLANES + " | PLANES",
            LongEncoder.BODY_PACKED_ALL + " | PACKED_ALL"));
  }

  private static void assertCodes(String marker, List<String> codes) throws IOException {
    List<String> rows = documented(marker).lines().toList();
    assertEquals(codes.size(), rows.size());
    for (int i = 0; i < rows.size(); i++) {
      assertTrue(rows.get(i).startsWith("| " + codes.get(i) + " |"), rows.get(i));
    }
  }

  /// The text between two markers of this name, without the table's heading.
  private static String documented(String marker) throws IOException {
    return documented("FORMAT-segment.md", marker);
  }

  private static String documented(String page, String marker) throws IOException {
    String document = Files.readString(Path.of(page));
    return document.split("<!-- " + marker + " -->", 3)[1].strip();
  }
}
