package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: other work takes processor time until it is closed, and leaves nothing. Method: what the
/// system says of its processes.
@EnabledOnOs(OS.LINUX)
@Timeout(300)
@Tag("process")
class OtherWorkTest {
  private static Duration used(ProcessHandle program) {
    return program.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Test
  void eachProgramComputesUntilItIsClosed() throws Exception {
    List<ProcessHandle> programs;
    try (var work = new OtherWork(2)) {
      assertEquals(", while 2 programs compute", work.words());
      programs = work.programs();
      assertEquals(2, programs.size());
      for (ProcessHandle program : programs) {
        Await.until(
            () -> {
              assertTrue(program.isAlive());
              return used(program).toMillis() >= 200; // beyond what a start takes
            },
            "the program computes");
      }
    }
    for (ProcessHandle program : programs) {
      program.onExit().get();
    }
  }

  @Test
  void aProgramEndsWithItsProcess() throws Exception {
    Process shell = new ProcessBuilder("sh", "-c", "read line").start();
    Process program = OtherWork.start(shell.pid());
    assertTrue(program.isAlive());
    shell.destroyForcibly().waitFor();
    program.waitFor();
  }

  @Test
  void noneIsNotNamed() throws IOException {
    try (var none = new OtherWork(0)) {
      assertEquals("", none.words());
    }
    try (var one = new OtherWork(1)) {
      assertEquals(", while a program computes", one.words());
    }
  }
}
