package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void progressAppearsAfterASecondAndIsCleared() {
    var err = new ByteArrayOutputStream();
    var progress = new Progress(new PrintStream(err, true, StandardCharsets.UTF_8), 0);
    progress.at(5, 900_000_000L);
    assertEquals(0, err.size());
    progress.at(4_096, 1_500_000_000L);
    progress.at(5_000, 1_600_000_000L);
    progress.end();
    String shown = err.toString(StandardCharsets.UTF_8);
    assertEquals("\r\u001b[K4,096 events scanned in 1 s\r\u001b[K", shown);
  }
}
