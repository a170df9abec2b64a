package io.widerow.ingest.cluster;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/// The flags for a connection to a cluster, named as the daemon's keys. They are taken before and
/// after the name of a subcommand.
public final class ClusterFlags {
  @Option(
      names = "--cluster-user",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description = "User to log in as.")
  @Nullable String user;

  @Option(
      names = "--cluster-password-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "File of mode 0600 whose first line is the user's password.")
  @Nullable Path passwordFile;

  @Option(
      names = "--cluster-ca",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "PEM certificates that vouch for the nodes: turns TLS on.")
  @Nullable Path ca;

  @Option(
      names = "--cluster-cert",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "PEM certificate chain that this client shows.")
  @Nullable Path certificate;

  @Option(
      names = "--cluster-key",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "PEM key of it.")
  @Nullable Path key;

  @Option(
      names = "--cluster-consistency",
      paramLabel = "LEVEL",
      scope = ScopeType.INHERIT,
      description = "LOCAL_QUORUM (default), QUORUM or ALL.")
  String consistency = "LOCAL_QUORUM";

  @Option(
      names = "--insecure",
      scope = ScopeType.INHERIT,
      description = "Allow another machine without TLS or without a user.")
  boolean insecure;
}
