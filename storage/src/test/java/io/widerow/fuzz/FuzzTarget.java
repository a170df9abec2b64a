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

  /// Inputs to start from: valid ones, and known bad ones.
  List<byte[]> seeds();

  /// The seeds and all earlier findings: the lines of `found/<name>.txt` next to the targets, in
  /// base64. So each finding stays tested.
  default List<byte[]> allSeeds() throws IOException {
    List<byte[]> all = new ArrayList<>(seeds());
    try (InputStream found = getClass().getResourceAsStream("found/" + name() + ".txt")) {
      if (found != null) {
        String lines = new String(found.readAllBytes(), StandardCharsets.US_ASCII);
        lines.lines().map(Base64.getDecoder()::decode).forEach(all::add);
      }
    }
    return all;
  }

  /// Reads one input. Returns when it was read or refused in the documented way; throws anything
  /// else as a finding.
  void read(byte[] input) throws Exception;

  /// Total bytes of heap that one input may allocate.
  long heapBytesMax();
}
