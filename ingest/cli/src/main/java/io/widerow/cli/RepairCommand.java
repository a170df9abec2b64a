package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreRepair.Repair;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow check repair`: makes a damaged stopped store usable again, without the damaged data.
@Command(
    description = {
      "Makes a damaged store usable again and lists the lost data. Nothing is deleted: damaged"
          + " files move to DIR/quarantine, and the readable part of a damaged segment is written"
          + " to a new one. Copy DIR first all the same."
    },
    footer = {
      "Exit codes: 0 no damage left, 1 damage left, 64 usage, 66 no store, 73 disk full, 74"
          + " input/output, 75 store in use."
    })
public final class RepairCommand implements Callable<Integer> {
  private final Repairer repairer;
  private final Shell shell;

  @Mixin final StoppedStore store = new StoppedStore();

  @Option(
      names = "--accept-loss",
      description =
          "Give up acknowledged groups that the journal lost, and the notes that deduplicate"
              + " batches.")
  boolean acceptLoss;

  @Option(
      names = "--statement",
      paramLabel = "CQL",
      description =
          "A CREATE statement, with keyspace.name, that replaces an unreadable one of the schema of"
              + " tables. Rows stay. May be given several times.")
  List<String> statements = new ArrayList<>();

  @Option(
      names = "--drop-table",
      paramLabel = "KEYSPACE.TABLE",
      description =
          "Drop a table or a materialized view with an unreadable statement, and its rows. May be"
              + " given several times.")
  List<String> dropped = new ArrayList<>();

  /// Repairs a directory.
  @FunctionalInterface
  interface Repairer {
    Repair repair(Path directory, boolean acceptLoss);
  }

  public RepairCommand(Shell shell) {
    this(StoreRepair::repair, shell);
  }

  RepairCommand(Repairer repairer, Shell shell) {
    this.repairer = repairer;
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Path directory = store.directory(ClusterDirectory.REPAIR);
    Repair files = repairer.repair(directory, acceptLoss);
    StoppedSchema schema = StoppedSchema.of(directory, files.left());
    RuntimeException refused = null; // the files are repaired, so their report comes first
    try {
      schema.repair(statements, dropped);
    } catch (QueryException.Refused | StorageException wrong) {
      refused = wrong;
    }
    Repair repair = all(files, schema);
    DamageTable table = new DamageTable();
    table.add("lost", repair.lost());
    table.add("left", repair.left());
    OutputBuffer out = new OutputBuffer(1 << 12);
    table.write(store.output, out);
    long lost = repair.lost().stream().mapToLong(Damage::events).sum();
    if (store.output == DamageTable.Format.json) {
      out.put("{\"done\":");
      out.putJson(repair.done());
      out.put(",\"statements\":[");
      for (int i = 0; i < schema.unreadable().size(); i++) {
        out.put(i == 0 ? "{\"place\":\"" : ",{\"place\":\"");
        out.putJson(schema.unreadable().get(i).place());
        out.put("\",\"text\":\"");
        out.putJson(schema.unreadable().get(i).text());
        out.put("\"}");
      }
      out.put(
          "],\"lost\":%d,\"lostEventsKnown\":%d,\"left\":%d}\n"
              .formatted(repair.lost().size(), lost, repair.left().size()));
    } else {
      schema
          .unreadable()
          .forEach(each ->
              out.put("the stored statement of %s:%n%s%n".formatted(each.place(), each.text())));
      repair.done().forEach(done -> out.put(done + "\n"));
      out.put(sentence(repair, lost) + "\n");
    }
    shell.write(out);
    if (refused != null) {
      throw refused;
    }
    return (repair.left().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }

  private static Repair all(Repair files, StoppedSchema schema) {
    List<Damage> left = new ArrayList<>(files.left());
    left.addAll(schema.damage());
    List<String> done = new ArrayList<>(files.done());
    done.addAll(schema.done());
    return new Repair(files.lost(), left, done);
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
        : "the store is whole, without %d events of segments and the other losses above"
            .formatted(lost);
  }

  private static String advice(List<Damage> left) {
    boolean fatal =
        left.stream()
            .map(Damage::kind)
            .anyMatch(kind -> kind == Damage.Kind.FORMAT || kind == Damage.Kind.MANIFEST);
    if (fatal) {
      return "FORMAT and manifest list all other files and cannot be rebuilt: restore a copy";
    }
    return left.stream().allMatch(damage -> damage.kind() == Damage.Kind.SCHEMA)
        ? "statements of the schema of tables cannot be read, and their keyspaces not be used:"
            + " --statement replaces one, --drop-table drops a table"
        : "acknowledged data is lost; --accept-loss continues without it";
  }
}
