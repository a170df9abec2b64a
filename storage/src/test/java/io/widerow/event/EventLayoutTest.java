package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: the code agrees with FORMAT.md, the contract with other programs.
class EventLayoutTest {
  @Test
  void formatDocumentListsTheHeaderAsTheCodeHasIt() throws IOException {
    String rendered =
        EventLayout.HEADER.memberLayouts().stream()
            .map(EventLayoutTest::row)
            .collect(Collectors.joining("\n"));

    assertEquals(documented("event header"), rendered);
  }

  @Test
  void formatDocumentListsTheKindsAsTheCodeHasThem() throws IOException {
    String rendered =
        Arrays.stream(AttributeKind.values())
            .map(kind -> "| %d | `%s` |".formatted(kind.code, kind))
            .collect(Collectors.joining("\n"));

    assertEquals(documented("attribute kinds"), rendered);
  }

  @Test
  void formatDocumentListsTheLimitsAsTheCodeHasThem() throws IOException {
    String rendered =
        """
        | header bytes | %d |
        | bytes of an event, header and payload | %d |
        | bytes of a type | %d |
        | bytes of an attribute's name | %d |
        | attributes | %d |
        | shards | %d |\
        """
            .formatted(
                EventLayout.HEADER_BYTES,
                EventLayout.EVENT_BYTES_MAX,
                EventLayout.TYPE_BYTES_MAX,
                EventLayout.NAME_BYTES_MAX,
                EventLayout.ATTRIBUTES_MAX,
                EventLayout.SHARD_LIMIT);

    assertEquals(documented("event limits"), rendered);
  }

  @Test
  void eventsStartOnMultiplesOfEight() {
    assertEquals(32, EventLayout.alignedLength(32));
    assertEquals(40, EventLayout.alignedLength(33));
    assertEquals(40, EventLayout.alignedLength(40));
  }

  private static String row(MemoryLayout field) {
    String name = field.name().orElseThrow();
    long offset = EventLayout.HEADER.byteOffset(PathElement.groupElement(name));
    return "| %2d | %d | `%s` |".formatted(offset, field.byteSize(), name);
  }

  /// The text of FORMAT.md between two markers of this name, without the table's heading.
  private static String documented(String marker) throws IOException {
    String document = Files.readString(Path.of("FORMAT.md"));
    return document.split("<!-- " + marker + " -->", 3)[1].strip();
  }
}
