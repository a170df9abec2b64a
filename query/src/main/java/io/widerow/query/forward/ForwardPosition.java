package io.widerow.query.forward;

import io.widerow.query.WholeFile;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Up to where a tail has sent its events. In a file it is four lines:
///
/// ```
///   widerow-forward 1        the version
///   TOKEN                    of the last event in order
///   ARRIVED                  position in the order of arrival; empty for none
///   end
/// ```
///
/// The file is replaced as a whole.
///
/// @param token see [io.widerow.query.result.Tail#token]
/// @param arrived see [io.widerow.query.result.Tail#arrived]
public record ForwardPosition(String token, @Nullable String arrived) {
  private static final String FIRST = "widerow-forward 1";
  private static final String LAST = "end";

  /// The position of an earlier run; null when there is none.
  ///
  /// @throws StorageException.Corrupt when the file holds something else
  public static @Nullable ForwardPosition read(Path file) {
    if (!Files.exists(file)) {
      return null;
    }
    try {
      List<String> lines = List.of(Files.readString(file).split("\n", -1));
      boolean isWhole = lines.size() == 5 && lines.get(3).equals(LAST) && lines.get(4).isEmpty();
      if (!isWhole || !lines.getFirst().equals(FIRST)) {
        throw new StorageException.Corrupt(
            file, 0, "not a position of `tail --to` or `forward`; move it away to start again");
      }
      return new ForwardPosition(lines.get(1), lines.get(2).isEmpty() ? null : lines.get(2));
    } catch (IOException unreadable) {
      throw new StorageException.Failed(file, "read", unreadable);
    }
  }

  /// Replaces the file: a crash keeps this position or the one before.
  void write(Path file) {
    String lines = String.join("\n", FIRST, token, arrived == null ? "" : arrived, LAST, "");
    try {
      WholeFile.replace(file, lines.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException failed) {
      throw new StorageException.Failed(file, "write", failed);
    }
  }
}
