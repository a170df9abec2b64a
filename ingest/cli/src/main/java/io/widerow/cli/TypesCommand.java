package io.widerow.cli;

import io.widerow.query.TypeGlobs;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteTypes;
import io.widerow.query.result.TypesResult;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow explore types`: lists the types of a store.
@Command(
    description = {
      "Each line has the times of the first and the last event of a type, the number of its events,"
          + " and their bytes on disk."
    },
    footer = {
      "Examples:",
      "  widerow explore types",
      "  widerow explore types 'nginx.*' --output csv",
      "  widerow explore types --data DIR",
      "  widerow explore types --store 'cassandra://db1/widerow?dc=dc1'",
      "Times are in UTC, to 100 ns. The numbers come from indexes: a replaced event may still"
          + " count, and events of the last minutes have no bytes yet.",
      "Exit codes: see `widerow query --help`."
    })
public final class TypesCommand implements Callable<Integer> {
  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "table (default on a terminal), json (default in a pipe) or csv.")
  @Nullable OutputFormat output;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Mixin final StoreOptions source = new StoreOptions();

  public TypesCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    EventStore store = source.open(daemon, shell);
    if (store == null) {
      DaemonAddress address = daemon.address(shell);
      show(RemoteTypes.ask(address, types), () -> RemoteTypes.ask(address, List.of()));
      return ExitCode.OK.number;
    }
    try (store;
        StoreView view = store.view()) {
      show(view.types(new TypeGlobs(types)), () -> view.types(TypeGlobs.ALL));
      List<Damage> lost =
          store.statistics().damage().stream()
              .filter(damage -> damage.kind() == Damage.Kind.JOURNAL)
              .toList();
      lost.forEach(one -> shell.err().println("widerow explore types: without: " + one.sentence()));
      return (lost.isEmpty() ? ExitCode.OK : ExitCode.CORRUPT).number;
    }
  }

  /// All types of the store, for advice.
  private interface All {
    List<TypeInfo> types();
  }

  private void show(List<TypeInfo> found, All all) {
    OutputBuffer out = new OutputBuffer(1 << 12);
    TypesResult.write(found, shell.format(output), ZoneOffset.UTC, out);
    shell.write(out);
    if (found.isEmpty() && types.isEmpty()) {
      shell.err().println("widerow explore types: no events are stored yet");
    } else if (found.isEmpty() || types.size() > 1) {
      new EmptyResultHints(all.types(), ZoneOffset.UTC)
          .ofTypes(new TypeGlobs(types))
          .forEach(sentence -> shell.err().println("widerow explore types: " + sentence));
    }
  }
}
