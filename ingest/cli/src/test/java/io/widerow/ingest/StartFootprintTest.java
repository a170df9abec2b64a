package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a start loads no library that no request has asked for, and an idle daemon is small.
/// Method: a daemon as a process with the JVM options of the launcher, its list of loaded classes,
/// and its resident memory as Linux reports it. Times would depend on the machine.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("process")
class StartFootprintTest {
  private static final Path POM = Path.of("../../pom.xml");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private static final int RESIDENT_MIB_MAX = 200;

  /// A class of each library and part that a start does without, and the share of the work of a
  /// start that it took when it was loaded.
  private static final List<String> UNUSED =
      List.of(
          "picocli.CommandLine$Model$CommandSpec", // 26 %
          "io.widerow.ingest.serve.page.PageFile", // 20 %
          "com.github.luben.zstd.ZstdBinding", // 6 %
          "io.netty.handler.ssl.OpenSsl", // 5 %
          "jdk.jfr.internal.MetadataRepository"); // 2 %

  private static final String FORM = "jdk.internal.foreign.abi.DowncallStub";

  @TempDir private Path directory = Path.of(".");

  private static List<String> options() throws IOException {
    String value =
        Files.readString(POM).replaceAll("(?s).*<jvm\\.serve>(.*)</jvm\\.serve>.*", "$1");
    return List.of(value.split(" ", -1));
  }

  @Test
  void aStartLoadsOnlyWhatItNeedsAndStaysSmall() throws IOException, InterruptedException {
    Path log = directory.resolve("classes");
    List<String> jvm = new ArrayList<>(options());
    jvm.addAll(
        List.of(
            "-XX:AOTMode=off",
            "-XX:-UseSerialGC",
            "-XX:+UseG1GC",
            "-Xlog:class+load=info:file=" + log));
    try (ServeProcess daemon = ServeProcess.startUntuned(jvm, directory.resolve("d"))) {
      String loaded = Files.readString(log);
      assertEquals(List.of(), UNUSED.stream().filter(name -> has(loaded, name)).toList());
      long forms = loaded.lines().filter(line -> line.contains(FORM + "/")).count();
      assertEquals(1, forms, "forms of C functions that were linked");
      Matcher resident =
          RESIDENT.matcher(Files.readString(Path.of("/proc/%d/status".formatted(daemon.pid()))));
      assertTrue(resident.find(), "VmRSS of the daemon");
      long mebibytes = Long.parseLong(resident.group(1)) >> 10;
      assertTrue(mebibytes <= RESIDENT_MIB_MAX, mebibytes + " MiB resident");
    }
  }

  private static boolean has(String loaded, String name) {
    return loaded.contains("] " + name + " source:");
  }

  /// The first request of the page finds it, and a second one of it again.
  @Test
  void thePageIsThereWhenItIsAskedFor() throws IOException, InterruptedException {
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"))) {
      for (String path : Stream.of("", "main.js", "").map(file -> "/ui/" + file).toList()) {
        assertEquals(200, daemon.get(path).statusCode(), path);
      }
    }
  }
}
