package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.ChildJvm;
import io.widerow.faults.KilledWriter;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store never opens a connection, neither in its own code nor in Chronicle's. Method:
/// trace the system calls of a process that opens a store, writes and seals. (The JDK opens a
/// socket or two to detect IPv6, and closes them.)
@Tag("process")
class StoreNetworkTest {
  @Test
  void whatWouldReportUsageIsNotThere() {
    assertThrows(
        ClassNotFoundException.class,
        () -> Class.forName("net.openhft.chronicle.analytics.Analytics"));
  }

  @Test
  void noConnectionIsOpened(@TempDir Path directory) throws Exception {
    Path strace = Path.of("/usr/bin/strace");
    assumeTrue(Files.isExecutable(strace), "strace is not installed");
    Path calls = directory.resolve("calls");
    Process writer =
        ChildJvm.plain()
            .start(
                List.of(
                    strace.toString(),
                    "-f",
                    "-e",
                    "trace=connect,bind,sendto,sendmsg,sendmmsg",
                    "-o",
                    calls.toString()),
                KilledWriter.class,
                directory.resolve("store").toString(),
                "0",
                "1")
            .start();
    try (BufferedReader out = writer.inputReader(StandardCharsets.UTF_8)) {
      for (int line = 0; line < 100; line++) {
        if (out.readLine() == null) {
          break;
        }
      }
      assumeTrue(writer.isAlive(), "strace may not trace here");
      writer.children().forEach(ProcessHandle::destroyForcibly);
      while (out.readLine() != null) {}
    } finally {
      writer.descendants().forEach(ProcessHandle::destroyForcibly);
      writer.destroyForcibly().waitFor();
    }
    List<String> network =
        Files.readAllLines(calls).stream()
            .filter(call -> call.contains("sa_family=AF_INET")) // not AF_UNIX: glibc asks nscd
            .toList();
    assertEquals(List.of(), network);
  }
}
