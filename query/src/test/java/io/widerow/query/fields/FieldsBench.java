package io.widerow.query.fields;

import io.widerow.query.QueryMemory;
import io.widerow.query.SealedStore;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.Survey;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// How long does it take to tell the fields of all events, with their kinds, values and counts, in
/// a store of many types (the goal is 50 ms for 10,000 of them): the first time, when blocks are
/// read; again; of one type; one field; and event by event. All is sealed, all answers are exact.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class FieldsBench {
  private static final int EVENTS = 1_000_000;
  private static final int CHUNKS_SEALED = 10;
  private static final long STEP = 3_000_000L; // three milliseconds
  private static final long START = 1_760_000_400_000_000_000L; // at an hour

  @Param({"10000", "100"})
  public int types;

  private final QueryMemory memory = QueryMemory.unlimited();
  private final KnownFields known = new KnownFields();
  private SealedStore sealed;

  @Setup(Level.Trial)
  public void fill() throws IOException, InterruptedException {
    sealed = SealedStore.open("fields", config -> config);
    SplittableRandom random = new SplittableRandom(7);
    sealed.fill(EVENTS, CHUNKS_SEALED, number -> event(number, random));
    sealed.merge();
  }

  private Stored event(int number, SplittableRandom random) {
    return new Stored(
        "type-%05d".formatted(number % types),
        START + number * STEP,
        Map.of(
            "body", "GET /cart/" + number,
            "host", "host-" + random.nextInt(100),
            "level", random.nextInt(100) == 0 ? "error" : "info",
            "region", "region-" + random.nextInt(6),
            "status", 200 + 100L * random.nextInt(4),
            "ms", (long) random.nextInt(2_000)));
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    sealed.close();
  }

  private int ask(Map<String, List<String>> more, String field, KnownFields with) {
    Map<String, List<String>> given = new HashMap<>(more);
    given.put("budget", List.of("1h"));
    OutputBuffer out = new OutputBuffer(1 << 16);
    FieldsRequest question = FieldsRequest.parse(given, field.isEmpty() ? null : field, START);
    try (StoreView view = sealed.store().view();
        Survey survey = question.with(with).open(view, memory)) {
      survey.write(out);
    }
    return out.length();
  }

  @Benchmark
  public int first() {
    return ask(Map.of(), "", new KnownFields());
  }

  @Benchmark
  public int again() {
    return ask(Map.of(), "", known);
  }

  @Benchmark
  public int ofOneType() {
    return ask(Map.of("type", List.of("type-00042")), "", known);
  }

  @Benchmark
  public int oneField() {
    return ask(Map.of(), "host", new KnownFields());
  }

  @Benchmark
  public int byEvents() {
    return ask(Map.of("where", List.of("type != \"none\"")), "", known);
  }
}
