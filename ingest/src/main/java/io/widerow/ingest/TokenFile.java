package io.widerow.ingest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The file of [Tokens] while the daemon runs. A changed file is in force within a second or two;
/// one that cannot be used is told of once, and what was in force stays so: a slip of the editor
/// must not shut everybody out, nor let anybody in.
///
/// - Threads: one calls [#reload], any the rest.
final class TokenFile {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final Path file;
  private @Nullable Version seen;
  private volatile Tokens tokens;

  /// What tells one content of the file from another.
  private record Version(FileTime modified, long bytes) {}

  /// @throws IllegalArgumentException when the file cannot be used
  TokenFile(Path file) {
    this.file = file;
    this.seen = version();
    this.tokens = Tokens.read(file);
  }

  Tokens tokens() {
    return tokens;
  }

  /// Looks whether the file has changed.
  void reload() {
    Version now = version();
    if (now == null || now.equals(seen)) {
      return; // an editor may be about to put a new one in its place
    }
    seen = now;
    try {
      tokens = Tokens.read(file);
      LOG.log(Level.INFO, "tokens: read {0} again", file);
    } catch (IllegalArgumentException unusable) {
      LOG.log(Level.WARNING, "{0}; the tokens from before stay in force", unusable.getMessage());
    }
  }

  private @Nullable Version version() {
    try {
      return new Version(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException gone) {
      return null;
    }
  }
}
