package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.RemoteRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow explore event`: shows one event and its location, or the events around it.
@Command(
    description = {
      "Prints one event by its id, as JSON, with its token and its location: wide row, lane, and"
          + " segment, block and row, or the open row."
    },
    footer = {
      "Examples:",
      "  widerow explore event shop.web/80e08f78-e85b-11f1-8080-8180808523ff",
      "  widerow explore event 80e08f78-e85b-11f1-8080-8180808523ff --around 20",
      "Exit codes: see `widerow query --help`."
    })
public final class EventCommand implements Callable<Integer> {
  private static final Pattern ID = Pattern.compile("[0-9a-fA-F-]{36}");

  private final Shell shell;

  @Parameters(
      paramLabel = "[TYPE/]ID",
      description = "The event. The type selects among events with equal ids.")
  String event = "";

  @Option(
      names = "--around",
      paramLabel = "N",
      description = "Print N events before it, the event, and N after it, in total order.")
  @Nullable String around;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  public EventCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    int slash = event.lastIndexOf('/');
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    ParameterText.put(parameters, "type", slash < 1 ? null : event.substring(0, slash));
    ParameterText.put(parameters, "before", around);
    ParameterText.put(parameters, "after", around);
    String path = "/v1/events/" + id(event.substring(slash + 1));
    path += around == null ? "" : "/context";
    path += parameters.isEmpty() ? "" : "?" + ParameterText.encode(parameters);
    OutputBuffer out = new OutputBuffer(1 << 12);
    RemoteRows.lines(daemon.address(shell), path).forEach(line -> out.put(line + "\n"));
    shell.write(out);
    return ExitCode.OK.number;
  }

  private static String id(String text) {
    if (!ID.matcher(text).matches()) {
      throw new QueryException.Refused("event", "must end in an id, a UUID, got " + text);
    }
    return text;
  }
}
