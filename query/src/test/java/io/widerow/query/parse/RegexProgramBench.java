package io.widerow.query.parse;

import static java.util.Objects.requireNonNull;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What does it cost to find the groups of an expression in a line, next to RE2/J? Lines that
/// match, lines of another log, and lines that match but for their end.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RegexProgramBench {
  private static final int LINES = 500;

  @Param({"grok", "access", "took", "log4j"})
  private String expression = "grok";

  @Param({"match", "other", "almost"})
  private String lines = "match";

  private byte[][] texts = {};
  private final RegexRun run = new RegexRun();
  private @Nullable Pattern regex;
  private @Nullable RegexProgram program;

  @Setup
  public void read() throws IOException {
    boolean access = expression.equals("grok") || expression.equals("access");
    boolean wanted = lines.equals("other") != access;
    Path file = Path.of("../loadgen/logs", wanted ? "apache_access.log" : "kafka_broker.log");
    List<String> all = Files.readAllLines(file).subList(0, LINES);
    Pattern compiled =
        switch (expression) {
          case "grok" -> GrokText.parse("%{COMBINEDAPACHELOG}").regex();
          case "access" ->
              Pattern.compile(
                  "^(\\S+) \\S+ (\\S+) \\[([^\\]]+)\\] \"(\\S+) (\\S+) [^\"]*\" (\\d+) (\\S+)");
          case "took" -> Pattern.compile("partition (\\d+).* (\\w+)$");
          default -> Pattern.compile("^\\[([^\\]]+)\\] ([A-Z]+) ((?s:.*?))(?: \\(([\\w.$]+)\\))?$");
        };
    texts =
        all.stream()
            .map(line -> lines.equals("almost") ? cut(line) : line)
            .map(line -> line.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    regex = compiled;
    program =
        RegexProgram.of(
            compiled.pattern(),
            IntStream.rangeClosed(1, compiled.groupCount()).boxed().collect(Collectors.toSet()));
    if (widerow() != re2j()) {
      throw new IllegalStateException("%d and %d match".formatted(widerow(), re2j()));
    }
  }

  private static String cut(String line) {
    return line.replaceAll("\" \\d+ ", "\" x ").replaceAll("[A-Z]+", "z");
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int widerow() {
    RegexProgram steps = requireNonNull(program);
    int found = 0;
    for (byte[] text : texts) {
      found += run.find(steps, text, text.length) ? 1 + run.start(1) : 0;
    }
    return found;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int re2j() {
    Pattern compiled = requireNonNull(regex);
    int found = 0;
    for (byte[] text : texts) {
      Matcher matcher = compiled.matcher(text);
      found += matcher.find() ? 1 + matcher.start(1) : 0;
    }
    return found;
  }
}
