package io.widerow.query.cli;

import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.repair.StoreVerifier.Verification;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow verify`: lists the damage of a stopped store.
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Checks every byte of a stopped store: the FORMAT file, the manifest, each block",
      "of each segment, the journals and the notes. Reads the schema of tables, and",
      "each row by it. Changes nothing."
    },
    footer = {
      "",
      "Exit codes: 0 no damage, 1 damage was found, 64 usage, 66 no store,",
      "74 input/output, 75 store in use."
    })
public final class VerifyCommand implements Callable<Integer> {
  private final Function<Path, Verification> verifier;
  private final Shell shell;

  @Mixin final ClusterDirectory cluster = new ClusterDirectory();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "Directory of a stopped store.")
  @Nullable Path data;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: table.")
  DamageTable.Format output = DamageTable.Format.table;

  VerifyCommand(Function<Path, Verification> verifier, Shell shell) {
    this.verifier = verifier;
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new VerifyCommand(RowVerifier::verify, shell), shell);
  }

  @Override
  public Integer call() {
    Path directory = data;
    if (directory == null) {
      throw new QueryException.Refused("data", "name the directory of a store");
    }
    ClusterDirectory.refuse(directory.toAbsolutePath(), ClusterDirectory.VERIFY);
    Verification found = verifier.apply(directory.toAbsolutePath());
    DamageTable table = new DamageTable();
    table.add("damaged", found.damage());
    OutputBuffer out = new OutputBuffer(1 << 12);
    table.write(output, out);
    if (output == DamageTable.Format.json) {
      out.put(
          "{\"segments\":%d,\"blocks\":%d,\"events\":%d,\"bytes\":%d,\"damaged\":%d,\"remarks\":["
              .formatted(
                  found.segments(),
                  found.blocks(),
                  found.events(),
                  found.bytes(),
                  found.damage().size()));
      for (int i = 0; i < found.remarks().size(); i++) {
        out.put(i == 0 ? "\"" : ",\"");
        out.putJson(found.remarks().get(i));
        out.put('"');
      }
      out.put("]}\n");
    } else {
      found.remarks().forEach(remark -> out.put(remark + "\n"));
      out.put(
          "checked %d segments (%d blocks, %d events, %d bytes) and the journals: %s%n"
              .formatted(
                  found.segments(),
                  found.blocks(),
                  found.events(),
                  found.bytes(),
                  found.damage().isEmpty()
                      ? "no damage"
                      : found.damage().size() + " damaged; see widerow repair --help"));
    }
    shell.write(out);
    return (found.damage().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }
}
