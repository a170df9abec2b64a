package io.widerow.storage.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy.Source;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the section has the bytes of FORMAT.md, and invalid bytes are refused. Method: the bytes
/// of two rules, written by hand.
class LayoutSectionTest {
  private static final String BYTES =
      "0002" // rules
          + "03637075"
          + "000f"
          + "ffff" // cpu, 15 minutes, nothing about shards
          + "026e2a"
          + "0000"
          + "0400"; // n*, auto, 1024 shards

  private static final LayoutSection SECTION =
      new LayoutSection(
          List.of(
              new LayoutOverride("cpu", 15, LayoutOverride.UNSAID, Source.API),
              new LayoutOverride("n*", LayoutOverride.AUTO, 1_024, Source.API)));

  @Test
  void theBytesAreThoseOfTheDocument() throws IOException {
    assertEquals(BYTES, HexFormat.of().formatHex(SECTION.toBytes()));
    assertEquals(SECTION, LayoutSection.of(HexFormat.of().parseHex(BYTES)));
    assertEquals(SECTION, LayoutSection.of(SECTION.toSections()));
    assertEquals(null, LayoutSection.of(ManifestSections.NONE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00",
        "0001",
        "000103637075000f",
        "000103637075000fffff00",
        "0001000000000f", //
        "0001036370750007ffff",
        "000103637075ffffffff",
        "000103637075000f0401"
      })
  void otherBytesAreRefused(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThrows(IOException.class, () -> LayoutSection.of(bytes));
  }
}
