package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.serve.ServeCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Goal: an address in use is reported in one line, with its own exit code. Method: the command on
/// an address that this test listens on.
class ListenExceptionTest {
  @ParameterizedTest
  @ValueSource(strings = {"http", "syslog"})
  void anAddressInUseIsNamed(String what) throws IOException {
    StringWriter err = new StringWriter();
    CommandLine line = ServeCommand.commandLine(_ -> new MemoryStore(1), Map.of());
    line.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err, true));
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      String address = "127.0.0.1:" + other.getLocalPort();
      int exit =
          line.execute("--lanes", "1", "--set", "http=127.0.0.1:0", "--set", what + "=" + address);
      String told = err.toString();
      assertEquals(69, exit, told);
      assertTrue(told.startsWith("widerow: %s cannot listen on %s: ".formatted(what, address)));
      assertTrue(told.contains("Address already in use"), told);
      assertEquals(1, told.lines().count(), told);
    }
  }
}
