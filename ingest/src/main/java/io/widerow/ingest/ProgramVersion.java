package io.widerow.ingest;

import io.widerow.ingest.serve.status.BuildVersion;
import picocli.CommandLine.IVersionProvider;

/// What `--version` of the daemon's commands prints.
public final class ProgramVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"widerow " + BuildVersion.value()};
  }
}
