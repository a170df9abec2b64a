package io.widerow.storage.objects;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/// Objects of JSON lines whose last line is `{"crc32c":"<8 hex>"}` of all lines before it.
final class CheckedLines {
  private static final String END = "{\"crc32c\"";
  private static final Pattern LAST = Pattern.compile("\\{\"crc32c\":\"([0-9a-f]{8})\"}\n");

  private CheckedLines() {}

  /// @param lines each with a line feed at its end
  static byte[] toBytes(StringBuilder lines) {
    lines.append("{\"crc32c\":\"%08x\"}\n".formatted(crc(lines.toString())));
    return lines.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static int crc(String text) {
    var crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return (int) crc.getValue();
  }

  /// The lines but the last.
  ///
  /// @param object its name
  /// @throws ObjectsException.Damaged when it is not the one that was put there
  static List<String> read(String object, byte[] bytes) {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    int last = text.lastIndexOf(END);
    Matcher end = LAST.matcher(text.substring(Math.max(last, 0)));
    if (last < 0
        || !end.matches()
        || Integer.parseUnsignedInt(end.group(1), 16) != crc(text.substring(0, last))) {
      throw new ObjectsException.Damaged(object, "its checksum is wrong");
    }
    return text.substring(0, last).lines().toList();
  }
}
