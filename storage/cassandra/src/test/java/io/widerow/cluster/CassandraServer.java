package io.widerow.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What a server needs to run: a JDK 17, since Cassandra 5 runs on no newer one, and its libraries,
/// which are never on the class path of a test.
final class CassandraServer {
  /// What a server takes out of the JDK, as its own `jvm17-server.options` has it.
  private static final List<String> OPENS =
      Stream.of(
              "java.io",
              "java.lang",
              "java.lang.module",
              "java.lang.reflect",
              "java.math",
              "java.net",
              "java.nio",
              "java.util",
              "java.util.concurrent",
              "java.util.concurrent.atomic",
              "jdk.internal.loader",
              "jdk.internal.math",
              "jdk.internal.module",
              "jdk.internal.ref",
              "jdk.internal.reflect",
              "jdk.internal.util.jar",
              "sun.nio.ch")
          .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
          .toList();

  private static final List<String> EXPORTS =
      Stream.of(
              "java.base/jdk.internal.misc",
              "java.base/jdk.internal.ref",
              "java.base/sun.nio.ch",
              "java.management.rmi/com.sun.jmx.remote.internal.rmi",
              "java.rmi/sun.rmi.registry",
              "java.rmi/sun.rmi.server",
              "java.rmi/sun.rmi.transport.tcp",
              "java.sql/java.sql",
              "jdk.attach/sun.tools.attach",
              "jdk.compiler/com.sun.tools.javac.file",
              "jdk.unsupported/sun.misc")
          .map(name -> "--add-exports=" + name + "=ALL-UNNAMED")
          .toList();

  private CassandraServer() {}

  /// A JDK 17: that of `JAVA17_HOME`, `JAVA_HOME`, or the first in the usual places.
  static Optional<Path> jdk() {
    List<Path> candidates = new ArrayList<>();
    for (String name : List.of("JAVA17_HOME", "JAVA_HOME")) {
      String home = System.getenv(name);
      if (home != null && !home.isEmpty()) {
        candidates.add(Path.of(home));
      }
    }
    Path user = Path.of(System.getProperty("user.home"));
    for (Path place :
        List.of(
            Path.of("/usr/lib/jvm"),
            Path.of("/opt"),
            user.resolve(".sdkman/candidates/java"),
            user.resolve(".jdks"))) {
      candidates.addAll(children(place, _ -> true));
    }
    return candidates.stream().filter(CassandraServer::isJdk17).findFirst();
  }

  private static boolean isJdk17(Path home) {
    Path release = home.resolve("release");
    try {
      return Files.isReadable(release)
          && Files.isExecutable(home.resolve("bin/java"))
          && Files.readAllLines(release).stream().anyMatch(l -> l.startsWith("JAVA_VERSION=\"17"));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(release + " of a JDK", unreadable);
    }
  }

  private static List<Path> children(Path directory, Predicate<String> named) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> named.test(file.getFileName().toString())).sorted().toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /// The libraries, which the module `storage/cassandra/server` fetches: looked for from the
  /// directory of any module upwards.
  static Path libraries() {
    Path from = Path.of("").toAbsolutePath();
    for (Path at = from; at != null; at = at.getParent()) {
      Path libraries = at.resolve("storage/cassandra/server/target/lib");
      if (Files.isDirectory(libraries)) {
        return libraries;
      }
    }
    throw new IllegalStateException(
        "no storage/cassandra/server/target/lib above "
            + from
            + ": mvn -pl storage/cassandra/server process-resources fetches it");
  }

  /// The command that runs a server in the foreground.
  ///
  /// @param directory that has `cassandra.yaml` and `logback.xml`, and gets everything else
  /// @param passwords whether the first user is wanted at once. Where nobody has a password, a node
  ///   that cannot make it would try again and again without a pause
  static List<String> command(Path jdk, Path directory, boolean passwords) {
    Path libraries = libraries();
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin/java").toString());
    command.addAll(
        List.of(
            "-Xms384m",
            "-Xmx384m",
            "-XX:MaxDirectMemorySize=256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", // most tests are over before anything else pays
            "-XX:+ExitOnOutOfMemoryError",
            "-Djdk.attach.allowAttachSelf=true",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Dcassandra.config=" + directory.resolve("cassandra.yaml").toUri(),
            "-Dcassandra.storagedir=" + directory,
            "-Dcassandra.triggers_dir=" + directory,
            "-Dlogback.configurationFile=" + directory.resolve("logback.xml"),
            "-Dcassandra-foreground=yes",
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.ring_delay_ms=10000", // the longest that a start waits for a peer
            "-Dcassandra.superuser_setup_delay_ms=" + (passwords ? 0 : 10_000),
            "-Dcassandra.consistent.rangemovement=false"));
    command.addAll(OPENS);
    command.add("--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");
    command.addAll(EXPORTS);
    Path agent =
        children(libraries, name -> name.startsWith("jamm-")).stream().findFirst().orElseThrow();
    command.add("-javaagent:" + agent);
    command.add("-cp");
    command.add(libraries + "/*");
    command.add("org.apache.cassandra.service.CassandraDaemon");
    return command;
  }
}
