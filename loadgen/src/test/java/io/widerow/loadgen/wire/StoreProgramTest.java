package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store that cannot be opened in this process reports the reason. Method: a checkout
/// without what opens it, and the program of this build with a port where no node listens.
/// `RealDaemonTest` reads rows.
class StoreProgramTest {
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path directory;

  @Test
  void aCheckoutThatHasNotBuiltItIsRefused() {
    String why =
        assertThrows(
                IllegalArgumentException.class,
                () -> StoreProgram.open(directory, "cassandra://127.0.0.1/rows?dc=datacenter1"))
            .toString();
    assertTrue(why.contains("./widerow load peers"), why);
    assertTrue(why.contains(directory.toString()), why);
  }

  @Test
  void aNodeThatIsAwayIsNamed() throws IOException {
    Path access = Files.createDirectories(directory.resolve("store"));
    StoreAccessFiles.compile(TOP, access);
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    String uri = "cassandra://127.0.0.1:" + port + "/rows?dc=datacenter1";
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    String why =
        assertThrows(
                IOException.class,
                () -> StoreProgram.open(access, TOP.resolve("ingest/cli/target"), uri))
            .toString();
    assertTrue(why.contains(uri), why);
    assertSame(before, Thread.currentThread().getContextClassLoader());
  }
}
