package io.widerow.loadgen.format;

import java.util.ArrayList;
import java.util.List;

/// Lines of comma-separated values, as RFC 4180 quotes them. No cell holds a line feed.
public final class Csv {
  private Csv() {}

  public static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append(c);
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }

  public static void append(StringBuilder out, String cell) {
    out.append('"').append(cell.replace("\"", "\"\"")).append('"');
  }
}
