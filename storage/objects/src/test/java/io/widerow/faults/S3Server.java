package io.widerow.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A server of S3 as a process of its own, with a bucket. Its libraries are those that the modules
/// below `storage/objects/server` fetch.
///
/// - Threads: one.
public final class S3Server implements AutoCloseable {
  public static final String BUCKET = "backups";
  public static final String KEY_ID = "widerow-test";

  /// No output may have it.
  public static final String SECRET = "marker-of-a-secret-that-nobody-prints";

  private final Kind kind;
  private final Path directory;
  private final int port;
  private Process process;

  /// Programs that have nothing in common.
  public enum Kind {
    S3PROXY,
    S3MOCK
  }

  /// @param directory for its objects and its log
  public S3Server(Kind kind, Path directory) throws IOException {
    this.kind = kind;
    this.directory = Files.createDirectories(directory);
    this.port = freePort();
    Files.createDirectories(directory.resolve("objects").resolve(BUCKET));
    process = start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket.getLocalPort();
    }
  }

  public int port() {
    return port;
  }

  public String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  /// Writes credentials that the server knows.
  public static Path credentials(Path file) throws IOException {
    return credentials(file, SECRET);
  }

  public static Path credentials(Path file, String secret) throws IOException {
    Files.writeString(
        file,
        "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n"
            .formatted(KEY_ID, secret));
    return Files.setPosixFilePermissions(
        file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
  }

  private Process start() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                libraries() + "/*"));
    switch (kind) {
      case S3PROXY -> {
        Path file = directory.resolve("s3proxy.properties");
        Files.writeString(
            file,
            """
            s3proxy.endpoint=http://127.0.0.1:%d
            s3proxy.authorization=aws-v4
            s3proxy.identity=%s
            s3proxy.credential=%s
            jclouds.provider=filesystem-nio2
            jclouds.filesystem.basedir=%s
            """
                .formatted(port, KEY_ID, SECRET, directory.resolve("objects")));
        command.addAll(List.of("org.gaul.s3proxy.Main", "--properties", file.toString()));
      }
      case S3MOCK ->
          command.addAll(
              List.of(
                  "com.adobe.testing.s3mock.S3MockApplication",
                  "--server.port=0",
                  "--http.port=" + port,
                  "--com.adobe.testing.s3mock.store.initial-buckets=" + BUCKET,
                  "--com.adobe.testing.s3mock.store.retain-files-on-exit=true",
                  "--com.adobe.testing.s3mock.store.root=" + directory.resolve("objects")));
    }
    Path log = directory.resolve("server.log");
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Await.until(
        () -> {
          if (!started.isAlive()) {
            throw new AssertionError("the server has ended: " + Files.readString(log));
          }
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (IOException notYet) {
            return false;
          }
        },
        "the server listens");
    return started;
  }

  private Path libraries() {
    String module = kind == Kind.S3PROXY ? "s3proxy" : "s3mock";
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path libraries = at.resolve("storage/objects/server/%s/target/lib".formatted(module));
      if (Files.isDirectory(libraries)) {
        return libraries;
      }
    }
    throw new IllegalStateException(
        ("no storage/objects/server/%1$s/target/lib: mvn -f storage/objects/server/%1$s"
                + " process-resources")
            .formatted(module));
  }

  /// Kills it as a crash does.
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  public void startAgain() throws IOException {
    process = start();
  }

  @Override
  public void close() {
    kill();
  }
}
