package io.widerow.cli.ship;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of a run of the command. Times are in nanoseconds.
///
/// @param patterns absolute paths and globs
/// @param excluded globs of names that are never taken
/// @param type of records that name none; null for that of the file's name
/// @param attributes of all records
/// @param rules how bytes become records
/// @param fromEnd whether files of the first start are read from their end
/// @param once whether it ends when all files are read
/// @param pollNanos between two looks at the files
/// @param flushAfterNanos without growth until an open record of several lines counts as whole
/// @param flushLineAfterNanos without growth until a line without a newline counts as whole
/// @param closeAfterNanos without growth until a file is closed
/// @param statusNanos between two lines of status
record ShipPlan(
    List<String> patterns,
    List<String> excluded,
    @Nullable String type,
    Map<String, String> attributes,
    RecordFormat rules,
    boolean fromEnd,
    boolean once,
    long pollNanos,
    long flushAfterNanos,
    long flushLineAfterNanos,
    long closeAfterNanos,
    long statusNanos) {
  ShipPlan {
    patterns = List.copyOf(patterns);
    excluded = List.copyOf(excluded);
  }

  FileLabels labels(Path name) {
    return FileLabels.of(name, type, attributes);
  }
}
