package io.widerow.storage.scan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What does an event cost that is aggregated by column, and one that is read? Log lines with a
/// region of four values, a client of 2,000, a path of 1,500 and a number; one event a millisecond.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
public class BlockScanBench {
  private static final int EVENTS = 64 << 10;
  private static final Path FILE = Path.of("bench.seg");
  private static final AttributeName REGION = AttributeName.of("region");
  private static final AttributeName CLIENT = AttributeName.of("client");
  private static final AttributeName PATH = AttributeName.of("path");
  private static final AttributeName BYTES = AttributeName.of("bytes");
  private static final List<String> REGIONS = List.of("eu-west", "eu-north", "us-east", "us-west");

  /// What is asked.
  @SuppressWarnings("ImmutableEnumChecker") // lists that nobody changes
  public enum Query {
    COUNT(List.of(), 0, new Filter.Everything()),
    COUNT_BY_REGION(List.of(REGION), 0, new Filter.Everything()),
    SUM_BY_CLIENT(List.of(CLIENT), RollupFigure.SUM.bit, new Filter.Everything()),
    P99_BY_REGION(List.of(REGION), RollupFigure.GRID.bit, new Filter.Everything()),
    NUMBER(
        List.of(),
        0,
        new Filter.Compare(BYTES, Filter.Comparison.GREATER, new Filter.Literal.Whole(90_000))),
    SUBSTRING(List.of(), 0, new Filter.Contains(PATH, Text.of("/7"))),
    OPAQUE(List.of(), 0, new Filter.Matches(PATH, (_, _, length) -> length % 2 == 0));

    private final List<AttributeName> by;
    private final int figures;
    private final Filter filter;

    Query(List<AttributeName> by, int figures, Filter filter) {
      this.by = by;
      this.figures = figures;
      this.filter = filter;
    }
  }

  private final MemoryDisk disk = new MemoryDisk();
  private List<TestEvent> events = List.of();
  private Segment segment;

  @Param public Query query = Query.COUNT;

  /// Writes the segment that is counted.
  @Setup(Level.Trial)
  public void write() {
    var random = new SplittableRandom(7);
    List<TestEvent> made = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      long nanos = i * 1_000_000L;
      var id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, i));
      String client = "10.%d.1.%d".formatted(random.nextInt(40), random.nextInt(50));
      Map<AttributeName, Object> line =
          Map.of(
              REGION,
              words(REGIONS.get(random.nextInt(REGIONS.size()))),
              CLIENT,
              words(client),
              PATH,
              words("/shop/item/" + random.nextInt(1_500)),
              BYTES,
              random.nextLong(100_000));
      made.add(new TestEvent(id, 0, "access", new TreeMap<>(line)));
    }
    events = made;
    SegmentSizes.write(disk, FILE, events, SegmentProfile.SEALED);
    segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
  }

  private static Object words(String text) {
    return TestEvent.Words.of(AttributeKind.STRING, text.getBytes(UTF_8));
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long byColumn() {
    List<RollupField> fields =
        query.figures == 0 ? List.of() : List.of(new RollupField(BYTES, query.figures));
    Scan scan = scan().withFold(new Grouping(query.by, 0).withFields(fields));
    BlockScan.Part part = new BlockScan.Part(SegmentSizes.key(events), scan, () -> segment);
    return weights(new BlockScan(List.of(part), scan, BlockReaders.NONE, Prefetch.OFF));
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long each() {
    return weights(SegmentCursor.open(segment, SegmentSizes.key(events), scan()));
  }

  private Scan scan() {
    return Scan.all().withColumns(Set.of(REGION, CLIENT, BYTES)).withFilter(query.filter);
  }

  private static long weights(EventCursor opened) {
    long weights = 0;
    try (EventCursor cursor = opened) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        weights += cursor.event().weight();
      }
    }
    return weights;
  }
}
