package io.widerow.query.cli;

import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.Damage;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreRepair.Repair;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow repair`: makes a damaged stopped store usable again, without the damaged data.
@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Makes a damaged stopped store usable again and lists the data that is lost.",
      "Nothing is deleted: damaged files are moved to DIR/quarantine, and the readable",
      "part of a damaged segment is written to a new one. Still, copy DIR first."
    },
    footer = {
      "",
      "Exit codes: 0 no damage is left, 1 damage is left, 64 usage, 66 no store,",
      "73 disk full, 74 input/output, 75 store in use."
    })
public final class RepairCommand implements Callable<Integer> {
  private final Repairer repairer;
  private final Shell shell;

  @Mixin final ClusterDirectory cluster = new ClusterDirectory();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "Directory of a stopped store.")
  @Nullable Path data;

  @Option(
      names = "--accept-loss",
      description =
          "Give up acknowledged groups that the journal lost, and notes that identify repeated"
              + " batches.")
  boolean acceptLoss;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: table.")
  DamageTable.Format output = DamageTable.Format.table;

  /// Repairs a directory.
  @FunctionalInterface
  interface Repairer {
    Repair repair(Path directory, boolean acceptLoss);
  }

  RepairCommand(Repairer repairer, Shell shell) {
    this.repairer = repairer;
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new RepairCommand(StoreRepair::repair, shell), shell);
  }

  @Override
  public Integer call() {
    Path directory = data;
    if (directory == null) {
      throw new QueryException.Refused("data", "name the directory of a store");
    }
    ClusterDirectory.refuse(directory.toAbsolutePath(), ClusterDirectory.REPAIR);
    Repair repair = repairer.repair(directory.toAbsolutePath(), acceptLoss);
    DamageTable table = new DamageTable();
    table.add("lost", repair.lost());
    table.add("left", repair.left());
    OutputBuffer out = new OutputBuffer(1 << 12);
    table.write(output, out);
    long lost = repair.lost().stream().mapToLong(Damage::events).sum();
    if (output == DamageTable.Format.json) {
      out.put("{\"done\":[");
      for (int i = 0; i < repair.done().size(); i++) {
        out.put(i == 0 ? "\"" : ",\"");
        out.putJson(repair.done().get(i));
        out.put('"');
      }
      out.put(
          "],\"lost\":%d,\"lostEventsKnown\":%d,\"left\":%d}\n"
              .formatted(repair.lost().size(), lost, repair.left().size()));
    } else {
      repair.done().forEach(done -> out.put(done + "\n"));
      out.put(sentence(repair, lost) + "\n");
    }
    shell.write(out);
    return (repair.left().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }

  private static String sentence(Repair repair, long lost) {
    if (!repair.left().isEmpty()) {
      return advice(repair.left());
    }
    if (repair.done().isEmpty() && repair.lost().isEmpty()) {
      return "nothing to repair";
    }
    return repair.lost().isEmpty()
        ? "the store is whole; nothing was lost"
        : "the store is whole, without %d events of segments and what else is named above"
            .formatted(lost);
  }

  private static String advice(List<Damage> left) {
    boolean fatal =
        left.stream()
            .map(Damage::kind)
            .anyMatch(kind -> kind == Damage.Kind.FORMAT || kind == Damage.Kind.MANIFEST);
    return fatal
        ? "FORMAT and manifest name all else and cannot be made anew: restore a copy"
        : "acknowledged data is lost; --accept-loss goes on without it";
  }
}
