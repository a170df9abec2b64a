package io.widerow.ingest.cli;

import io.widerow.ingest.ServeCommand;
import io.widerow.ingest.TokenCommand;
import io.widerow.ingest.cluster.ClusterCommand;
import io.widerow.ingest.cluster.MigrateCommand;
import io.widerow.ingest.demo.DemoCommand;
import io.widerow.ingest.ship.ImportCommand;
import io.widerow.ingest.ship.ShipCommand;
import io.widerow.query.cli.QueryCommand;
import io.widerow.query.cli.RepairCommand;
import io.widerow.query.cli.Shell;
import io.widerow.query.cli.SnapshotCommand;
import io.widerow.query.cli.TailCommand;
import io.widerow.query.cli.TypesCommand;
import io.widerow.query.cli.VerifyCommand;
import io.widerow.query.cli.cql.CqlCommand;
import io.widerow.query.cli.daemon.DeleteCommand;
import io.widerow.query.cli.daemon.DiffCommand;
import io.widerow.query.cli.daemon.DoctorCommand;
import io.widerow.query.cli.daemon.EventCommand;
import io.widerow.query.cli.daemon.FieldsCommand;
import io.widerow.query.cli.daemon.LayoutCommand;
import io.widerow.query.cli.daemon.PartitionsCommand;
import io.widerow.query.cli.daemon.PatternsCommand;
import io.widerow.query.cli.daemon.PlanCommand;
import io.widerow.query.cli.daemon.QueriesCommand;
import io.widerow.query.cli.daemon.RepartitionCommand;
import io.widerow.query.cli.daemon.RetentionCommand;
import io.widerow.query.cli.daemon.RollupCommand;
import io.widerow.query.cli.daemon.RuleCommand;
import io.widerow.query.cli.daemon.SendersCommand;
import io.widerow.query.cli.export.ExportCommand;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;

/// All commands that run in this program, by name and in the order of the launcher's usage. The
/// launcher starts each by its own class, so that it loads no more than it needs; `CommandsTest`
/// holds the two lists to each other.
final class Commands {
  private static final Map<String, Function<Shell, CommandLine>> ALL = all();

  private Commands() {}

  private static Map<String, Function<Shell, CommandLine>> all() {
    Map<String, Function<Shell, CommandLine>> all = new LinkedHashMap<>();
    all.put(
        "serve",
        shell -> ServeCommand.commandLine(ServeCommand::openEmbedded, shell.environment()));
    all.put("query", shell -> QueryCommand.commandLine(EmbeddedStore::openForReading, shell));
    all.put("types", shell -> TypesCommand.commandLine(EmbeddedStore::openForReading, shell));
    all.put("tail", TailCommand::commandLine);
    all.put("senders", SendersCommand::commandLine);
    all.put("event", EventCommand::commandLine);
    all.put("fields", FieldsCommand::commandLine);
    all.put("diff", DiffCommand::commandLine);
    all.put("patterns", PatternsCommand::commandLine);
    all.put("queries", QueriesCommand::commandLine);
    all.put("cql", CqlCommand::commandLine);
    all.put("partitions", PartitionsCommand::commandLine);
    all.put("layout", LayoutCommand::commandLine);
    all.put("repartition", RepartitionCommand::commandLine);
    all.put("delete", DeleteCommand::commandLine);
    all.put("retention", RetentionCommand::commandLine);
    all.put("plan", PlanCommand::commandLine);
    all.put("doctor", DoctorCommand::commandLine);
    all.put("rollup", RollupCommand::commandLine);
    all.put("rule", RuleCommand::commandLine);
    all.put("export", ExportCommand::commandLine);
    all.put("import", ImportCommand::commandLine);
    all.put("ship", ShipCommand::commandLine);
    all.put("demo", _ -> DemoCommand.commandLine());
    all.put("verify", VerifyCommand::commandLine);
    all.put("snapshot", SnapshotCommand::commandLine);
    all.put("repair", RepairCommand::commandLine);
    all.put("migrate", MigrateCommand::commandLine);
    all.put("cluster", ClusterCommand::commandLine);
    all.put("token", _ -> TokenCommand.commandLine());
    all.put("completion", _ -> CompletionCommand.commandLine());
    return all;
  }

  /// The commands, each with its options and its error handling.
  static Map<String, CommandLine> in(Shell shell) {
    Map<String, CommandLine> lines = new LinkedHashMap<>();
    ALL.forEach((name, made) -> lines.put(name, made.apply(shell)));
    return lines;
  }
}
