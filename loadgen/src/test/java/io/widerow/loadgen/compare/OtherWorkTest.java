package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: other work takes processor time until it is closed, and leaves nothing. Method: what the
/// system says of its processes.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 1, unit = TimeUnit.MINUTES)
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
        while (used(program).toMillis() < 200) { // beyond what a start takes
          assertTrue(program.isAlive());
          LockSupport.parkNanos(1_000_000);
        }
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
