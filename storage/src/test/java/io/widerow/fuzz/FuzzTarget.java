package io.widerow.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Fuzz target: a reader of untrusted bytes. An enum of a module lists its targets; [FuzzSlice]
/// runs them in `verify`, [FuzzRun] under jazzer.
public interface FuzzTarget {
  /// Name of the enum constant.
  String name();

  FuzzReader reader();

  /// The seeds and all earlier findings: the lines of `found/<name>.txt` next to the targets, in
  /// base64. So each finding stays tested.
  default List<byte[]> allSeeds() throws IOException {
    List<byte[]> all = new ArrayList<>(reader().seeds().get());
    try (InputStream found = getClass().getResourceAsStream("found/" + name() + ".txt")) {
      if (found != null) {
        String lines = new String(found.readAllBytes(), StandardCharsets.US_ASCII);
        lines.lines().map(Base64.getDecoder()::decode).forEach(all::add);
      }
    }
    return all;
  }
}
