package io.widerow.ingest.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flags for a connection to a cluster, named as the daemon's keys.
public final class ClusterFlags {
  @Option(names = "--cluster-user", paramLabel = "NAME", description = "User to log in as.")
  @Nullable String user;

  @Option(
      names = "--cluster-password-file",
      paramLabel = "FILE",
      description = "File of mode 0600 whose first line is the user's password.")
  @Nullable Path passwordFile;

  @Option(
      names = "--cluster-ca",
      paramLabel = "FILE",
      description = "PEM certificates that vouch for the nodes: turns TLS on.")
  @Nullable Path ca;

  @Option(
      names = "--cluster-cert",
      paramLabel = "FILE",
      description = "PEM certificate chain that this client shows.")
  @Nullable Path certificate;

  @Option(names = "--cluster-key", paramLabel = "FILE", description = "PEM key of it.")
  @Nullable Path key;

  @Option(
      names = "--cluster-consistency",
      paramLabel = "LEVEL",
      description = "LOCAL_QUORUM (default), QUORUM or ALL.")
  String consistency = "LOCAL_QUORUM";

  @Option(
      names = "--insecure",
      description = "Allow another machine without TLS or without a user.")
  boolean insecure;
}
