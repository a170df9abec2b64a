package io.widerow.ingest.config;

import java.nio.file.Path;
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
  private @Nullable FileVersion seen;
  private volatile Tokens tokens;

  /// @throws IllegalArgumentException when the file cannot be used
  public TokenFile(Path file) {
    this.file = file;
    this.seen = FileVersion.of(file);
    this.tokens = Tokens.read(file);
  }

  public Tokens tokens() {
    return tokens;
  }

  /// Reads the file again if it has changed.
  public void reload() {
    FileVersion now = FileVersion.of(file);
    if (now == null || now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      tokens = Tokens.read(file);
      LOG.log(Level.INFO, "tokens: reloaded {0}", file);
    } catch (IllegalArgumentException unusable) {
      LOG.log(Level.WARNING, "{0}; the old tokens stay in force", unusable.getMessage());
    }
  }
}
