package io.widerow.ingest.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The file of [Tokens] while the daemon runs. A changed file takes effect within a second or two.
/// An unusable file is logged once and the old tokens stay in force: a mistake in an editor must
/// neither lock out all clients nor let any in. A file that others can read is unusable, too.
///
/// - Threads: one calls [#reload], any thread the other methods.
public final class TokenFile {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final Path file;
  private @Nullable Version seen;
  private volatile Tokens tokens;

  /// Identifies a version of the file.
  private record Version(FileTime modified, long bytes, Set<PosixFilePermission> permissions) {}

  /// @throws IllegalArgumentException when the file cannot be used
  public TokenFile(Path file) {
    this.file = file;
    this.seen = version();
    this.tokens = Tokens.read(file);
  }

  public Tokens tokens() {
    return tokens;
  }

  /// Reads the file again if it has changed.
  public void reload() {
    Version now = version();
    if (now == null || now.equals(seen)) {
      return; // absent: an editor may be about to replace it
    }
    seen = now;
    try {
      tokens = Tokens.read(file);
      LOG.log(Level.INFO, "tokens: reloaded {0}", file);
    } catch (IllegalArgumentException unusable) {
      LOG.log(Level.WARNING, "{0}; the old tokens stay in force", unusable.getMessage());
    }
  }

  private @Nullable Version version() {
    try {
      PosixFileAttributes now = Files.readAttributes(file, PosixFileAttributes.class);
      return new Version(now.lastModifiedTime(), now.size(), now.permissions());
    } catch (IOException gone) {
      return null;
    }
  }
}
