package io.widerow.query.remote;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The queries that a daemon's store keeps by name.
public final class SavedQueries {
  private static final String PATH = "/v1/queries";
  private static final List<String> HEADS = List.of("query", "parameters");

  private SavedQueries() {}

  /// All of them, with their parameters in the form of a URL.
  public static RemoteRows list(DaemonAddress daemon) {
    return RemoteRows.ask(daemon, PATH, HEADS);
  }

  /// The parameters of one.
  ///
  /// @throws QueryException.Remote when there is none of this name
  public static Map<String, List<String>> get(DaemonAddress daemon, String name) {
    RemoteRows found =
        RemoteRows.change(daemon, "GET", PATH, Map.of("query", List.of(name)), HEADS);
    Map<String, List<String>> parameters = ParameterText.decode(found.first().getLast().text());
    parameters.keySet().removeAll(ParameterText.OF_PAGE);
    return parameters;
  }

  /// Saves one, in place of the one of its name.
  ///
  /// @throws QueryException when the daemon refuses it
  public static void save(DaemonAddress daemon, String name, Map<String, List<String>> parameters) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("query", List.of(name));
    all.putAll(parameters);
    RemoteRows _ = RemoteRows.change(daemon, "PUT", PATH, all, HEADS);
  }

  /// Deletes one.
  ///
  /// @throws QueryException.Remote when there is none of this name
  public static RemoteRows forget(DaemonAddress daemon, String name) {
    Map<String, List<String>> parameters = Map.of("query", List.of(name));
    return RemoteRows.change(daemon, "DELETE", PATH, parameters, List.of("unset"));
  }
}
