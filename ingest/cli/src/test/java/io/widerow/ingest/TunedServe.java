package io.widerow.ingest;

import io.widerow.cli.serve.ServeCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The daemon as a program whose `--set` also takes the limits of [TunedConfig].
public final class TunedServe {
  private static final String SET = "--set";

  private TunedServe() {}

  /// Runs the daemon.
  public static void main(String[] arguments) {
    Map<String, String> limits = new HashMap<>();
    List<String> others = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String[] set =
          arguments[i].equals(SET) ? arguments[i + 1].split("=", 2) : new String[] {"", ""};
      if (TunedConfig.isLimit(set[0])) {
        limits.put(set[0], set[1]);
        i++;
      } else {
        others.add(arguments[i]);
      }
    }
    System.exit(
        ServeCommand.commandLine(
                ServeCommand::openConfigured,
                System.getenv(),
                base -> TunedConfig.with(base, limits))
            .execute(others.toArray(String[]::new)));
  }
}
