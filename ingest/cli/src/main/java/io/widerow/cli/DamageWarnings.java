package io.widerow.cli;

import io.widerow.query.aggregation.UnreadText;
import io.widerow.storage.ScanWatch;
import java.time.ZoneId;
import java.util.List;

/// Lists on standard error the damaged parts of the store that a result lacks.
public final class DamageWarnings {
  /// Parts that are named one by one.
  private static final int NAMED_MAX = 20;

  private DamageWarnings() {}

  /// @param command as people type it
  /// @return [ExitCode#CORRUPT] when there are such parts
  public static ExitCode tell(
      String command, List<ScanWatch.Unread> unread, ZoneId zone, Shell shell) {
    for (ScanWatch.Unread part : unread.subList(0, Math.min(unread.size(), NAMED_MAX))) {
      shell.err().println(command + ": shown without: " + UnreadText.sentence(part, zone));
    }
    if (unread.size() > NAMED_MAX) {
      shell.err().printf("%s: and without %d more parts%n", command, unread.size() - NAMED_MAX);
    }
    return unread.isEmpty() ? ExitCode.OK : ExitCode.CORRUPT;
  }
}
