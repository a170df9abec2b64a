package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.remote.RemoteRows;
import java.util.List;
import java.util.Map;

/// A table of settings that a daemon keeps: commands list its rows, set one, and remove one.
///
/// @param path of its requests
/// @param heads its columns
record RemoteTable(Shell shell, String path, List<String> heads) {
  /// The names of columns.
  ///
  /// @param names with a blank between them
  static List<String> heads(String names) {
    return List.of(names.split(" ", -1));
  }

  /// The same table by another path, such as that of one row.
  RemoteTable at(String other) {
    return new RemoteTable(shell, other, heads);
  }

  /// Shows all rows.
  ///
  /// @param none the message when there are none
  int list(RemoteOptions how, String none) {
    RemoteRows all = RemoteRows.ask(how.address(shell), path, heads);
    how.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println(none);
    }
    return ExitCode.OK.number;
  }

  /// Sets a row and shows it.
  int set(RemoteOptions how, Map<String, List<String>> parameters) {
    how.show(shell, RemoteRows.change(how.address(shell), "PUT", path, parameters, heads));
    return ExitCode.OK.number;
  }

  /// Removes a row.
  int unset(RemoteOptions how, Map<String, List<String>> parameters) {
    List<String> removed = List.of("unset");
    how.show(shell, RemoteRows.change(how.address(shell), "DELETE", path, parameters, removed));
    return ExitCode.OK.number;
  }
}
