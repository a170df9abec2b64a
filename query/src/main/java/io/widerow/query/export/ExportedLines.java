package io.widerow.query.export;

import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// NDJSON as an export writes it. The lines are passed on as they are: who takes them looks into
/// them. The first one is looked into here too, so that another program's file is refused whole.
final class ExportedLines extends ExportedFile {
  /// The longest line of an event is six times as long as the event, and its names.
  private static final int LINE_BYTES_MAX = 16 << 20;

  private static final String TOKEN = "{\"token\":\"";
  private static final String ERROR = "{\"error\":\"";

  private final String name;
  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean first = true;

  ExportedLines(String name, InputStream in) {
    this.name = name;
    this.in = in;
  }

  @Override
  Found read(OutputBuffer out) throws IOException {
    boolean more = readLine();
    while (more && line.size() == 0) { // a blank line
      number(number() + 1);
      more = readLine();
    }
    if (line.size() == 0) {
      return Found.END;
    }
    if (line.size() > LINE_BYTES_MAX) {
      return bad("a line of more than %d bytes".formatted(LINE_BYTES_MAX));
    }
    byte[] bytes = line.toByteArray();
    if (startsWith(bytes, TOKEN)) { // the end of a result
      number(number() + 1);
      return read(out);
    }
    if (startsWith(bytes, ERROR)) {
      return bad("the export ended here with an error: " + text(bytes));
    }
    if (first) {
      requireEvent(bytes);
      first = false;
    }
    out.put(bytes);
    out.put('\n');
    return Found.EVENT;
  }

  /// Reads a line without its end; of one that is too long, not all.
  ///
  /// @return false when there is none
  private boolean readLine() throws IOException {
    line.reset();
    int read = in.read();
    boolean any = read >= 0;
    while (read >= 0 && read != '\n') {
      if (line.size() <= LINE_BYTES_MAX) {
        line.write(read);
      }
      read = in.read();
    }
    return any;
  }

  private static boolean startsWith(byte[] line, String text) {
    return line.length >= text.length()
        && new String(line, 0, text.length(), StandardCharsets.ISO_8859_1).equals(text);
  }

  private static String text(byte[] line) {
    return new String(line, StandardCharsets.UTF_8);
  }

  private void requireEvent(byte[] bytes) {
    try {
      Map<String, Object> members = JsonLine.parse(text(bytes));
      if (members.containsKey("id") && members.containsKey("ts") && members.containsKey("type")) {
        LineEvent _ = new LineEvent(members);
        return;
      }
    } catch (QueryException.Remote _) {
      // refused below
    }
    throw refused(name, "its first line is no event with id, ts and type");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
