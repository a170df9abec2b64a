package io.widerow.storage.cassandra.migrate;

import java.util.List;

/// The outcome of a migration.
///
/// @param copied events that were written
/// @param compared events of the source that were compared with the target
/// @param differences found; none when both sides are the same
public record MigrationOutcome(long copied, long compared, List<HourMismatch> differences) {
  public MigrationOutcome {
    differences = List.copyOf(differences);
  }
}
