package io.widerow.cli;

import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.storage.repair.StoreVerifier.Verification;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow check verify`: lists the damage of a stopped store.
@Command(
    description = {
      "Reads every byte of the store and changes nothing: the FORMAT file, the manifest, each block"
          + " of each segment, the journals and the notes. Tables are read by their schema, row by"
          + " row."
    },
    footer = {
      "Exit codes: 0 no damage, 1 damage found, 64 usage, 66 no store, 74 input/output, 75 store in"
          + " use."
    })
public final class VerifyCommand implements Callable<Integer> {
  private final Function<Path, Verification> verifier;
  private final Shell shell;

  @Mixin final StoppedStore store = new StoppedStore();

  public VerifyCommand(Shell shell) {
    this(RowVerifier::verify, shell);
  }

  VerifyCommand(Function<Path, Verification> verifier, Shell shell) {
    this.verifier = verifier;
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Path directory = store.directory(ClusterDirectory.VERIFY);
    Verification found = verifier.apply(directory);
    StoreVersions versions = StoreVerifier.versions(directory);
    DamageTable table = new DamageTable();
    table.add("damaged", found.damage());
    OutputBuffer out = new OutputBuffer(1 << 12);
    table.write(store.output, out);
    if (store.output == DamageTable.Format.json) {
      out.put(
          "{\"segments\":%d,\"blocks\":%d,\"events\":%d,\"bytes\":%d,\"damaged\":%d,\"remarks\":"
              .formatted(
                  found.segments(),
                  found.blocks(),
                  found.events(),
                  found.bytes(),
                  found.damage().size()));
      out.putJson(found.remarks());
      out.put(",\"created\":");
      out.putJson(versions.created());
      out.put(",\"written\":");
      out.putJson(versions.written());
      out.put("}\n");
    } else {
      found.remarks().forEach(remark -> out.put(remark + "\n"));
      out.put(
          "created by Widerow %s, last written by Widerow %s%n"
              .formatted(versions.created(), versions.written()));
      out.put(
          "checked %d segments (%d blocks, %d events, %d bytes) and the journals: %s%n"
              .formatted(
                  found.segments(),
                  found.blocks(),
                  found.events(),
                  found.bytes(),
                  found.damage().isEmpty()
                      ? "no damage"
                      : found.damage().size() + " damaged; see widerow check repair --help"));
    }
    shell.write(out);
    return (found.damage().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }
}
