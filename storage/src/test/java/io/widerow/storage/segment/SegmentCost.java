package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.faults.AccessLogEvents;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.scan.SegmentCursor;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Measurement of sealing, merging and reading, in CPU time of the calling thread, which other load
/// on the machine changes little. Every number is the least of several rounds; settings alternate
/// within a round.
///
/// - Threads: one.
final class SegmentCost {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("cost.seg");
  private static final int PARTS = 8;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "apache.access", 0);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final EventBatch batch;
  private final MemoryDisk disk = new MemoryDisk();
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();
  private final long[] offsets;

  private SegmentCost(EventBatch events) {
    batch = events;
    offsets = new long[events.count()];
    for (int i = 1; i < offsets.length; i++) {
      view.show(batch.memory(), offsets[i - 1]);
      offsets[i] = offsets[i - 1] + EventLayout.alignedLength(view.length());
    }
  }

  private static SegmentCost access(int events) {
    var batch = new EventBatch(1 << 20, 1L << 30);
    var lines =
        new AccessLogEvents(
            AccessLogEvents.REAL_LOG, 1, Instant.parse("2026-11-20T19:00:00Z"), 20_000, 0);
    lines.fill(batch, events);
    return new SegmentCost(batch);
  }

  /// Metrics of hosts that take turns.
  private static SegmentCost metrics(int events, int hosts) {
    return of(SegmentSizes.metrics(events, hosts, 1));
  }

  /// Lines of the broker log in no order, as they come from many sources at once.
  private static SegmentCost mixed(int events) {
    List<TestEvent> log = SegmentSizes.broker();
    var random = new SplittableRandom(1);
    List<TestEvent> mixed = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      TestEvent drawn = log.get(random.nextInt(log.size()));
      long nanos = 1_700_000_000_000_000_000L + i * 1_000_000L;
      var id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      mixed.add(new TestEvent(id, 0, drawn.type(), drawn.attributes()));
    }
    return of(mixed);
  }

  /// Lines of words that never repeat, each a template of its own.
  private static SegmentCost prose(int events) {
    var random = new SplittableRandom(1);
    List<TestEvent> prose = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      StringBuilder line = new StringBuilder("12:00:00");
      for (int word = 0; word < 12; word++) {
        line.append(' ');
        random.ints(random.nextLong(3, 9), 'a', 'z' + 1).forEach(line::appendCodePoint);
      }
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "body", line.append(" 17").toString());
      long nanos = 1_700_000_000_000_000_000L + i * 1_000_000L;
      var id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      prose.add(new TestEvent(id, 0, "prose", attributes));
    }
    return of(prose);
  }

  private static SegmentCost of(List<TestEvent> events) {
    var batch = new EventBatch(1 << 20, 1L << 30);
    for (TestEvent event : events) {
      SegmentSizes.put(batch, event, TimeUuid.nanosOf(event.idTime(), event.idTail()));
    }
    return new SegmentCost(batch);
  }

  /// Seals the events and returns the bytes.
  private long seal(SegmentProfile form) {
    disk.delete(FILE);
    try (var writer = new SegmentWriter(disk, FILE, STORE, 1, form)) {
      writer.begin(KEY);
      for (long offset : offsets) {
        writer.add(view.show(batch.memory(), offset));
      }
      return writer.finish().bytes();
    }
  }

  /// Merges parts of the events, each sealed on its own, and prints the cost.
  private void merging(String name, int rounds) {
    List<Path> parts = new ArrayList<>();
    for (int part = 0; part < PARTS; part++) {
      Path file = Path.of("part" + part + ".seg");
      parts.add(file);
      try (var writer = new SegmentWriter(disk, file, STORE, 1, SegmentProfile.SEALED)) {
        writer.begin(KEY);
        for (int i = part; i < offsets.length; i += PARTS) {
          writer.add(view.show(batch.memory(), offsets[i]));
        }
        writer.finish();
      }
    }
    double least = Double.MAX_VALUE;
    for (int round = 0; round < rounds; round++) {
      least = Math.min(least, micros(offsets.length, () -> merge(parts)));
    }
    System.out.printf(
        Locale.ROOT,
        "merge of %d sealed segments of %-12s %7.3f us/event %6.2f B%n",
        PARTS,
        name,
        least,
        (double) merge(parts) / offsets.length);
  }

  private long merge(List<Path> parts) {
    disk.delete(FILE);
    List<Segment> segments =
        parts.stream().map(part -> Segment.open(disk, part, STORE, 1)).toList();
    List<EventCursor> cursors =
        segments.stream().map(segment -> SegmentCursor.open(segment, KEY, Scan.all())).toList();
    try (var writer = new SegmentWriter(disk, FILE, STORE, 1, SegmentProfile.FINAL);
        EventCursor events = MergeCursor.of(new ArrayList<>(cursors), false)) {
      writer.begin(KEY);
      while (events.next() == EventCursor.Step.EVENT) {
        writer.add(events.event());
      }
      return writer.finish().bytes();
    } finally {
      segments.forEach(Segment::close);
    }
  }

  /// Seals the events as segments of so many, each with a memory of its own or all with one, and
  /// prints the cost.
  private void pieces(int events, SegmentProfile form, int rounds) {
    double alone = Double.MAX_VALUE;
    double shared = Double.MAX_VALUE;
    for (int round = 0; round < rounds; round++) {
      alone = Math.min(alone, micros(offsets.length, () -> pieces(events, form, null)));
      try (var memory = new SegmentMemory(form)) {
        shared = Math.min(shared, micros(offsets.length, () -> pieces(events, form, memory)));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "segments of %,6d events, filters of %2d bits:"
            + " %7.3f us/event, with one memory %7.3f, %6.2f B%n",
        events,
        form.filterBits(),
        alone,
        shared,
        (double) pieces(events, form, null) / offsets.length);
  }

  private long pieces(int events, SegmentProfile form, @Nullable SegmentMemory shared) {
    long bytes = 0;
    for (int from = 0; from < offsets.length; from += events) {
      disk.delete(FILE);
      SegmentMemory memory = shared == null ? new SegmentMemory(form) : shared;
      try (var writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory)) {
        writer.begin(KEY);
        for (int i = from; i < Math.min(offsets.length, from + events); i++) {
          writer.add(view.show(batch.memory(), offsets[i]));
        }
        bytes += writer.finish().bytes();
      } finally {
        if (shared == null) {
          memory.close();
        }
      }
    }
    return bytes;
  }

  /// Makes a block of each group of events and prints the cost, next to the cost of frame and seal.
  private void once(String name, int group, int rounds) {
    double frame = Double.MAX_VALUE;
    double seal = Double.MAX_VALUE;
    double block = Double.MAX_VALUE;
    try (var frames = new FrameEncoder(STORE, 0, true);
        var blocks = new BlockWriter(SegmentProfile.SEALED, Throttle.NONE)) {
      for (int round = 0; round < rounds; round++) {
        frame = Math.min(frame, micros(offsets.length, () -> frames(frames, group)));
        seal = Math.min(seal, micros(offsets.length, () -> seal(SegmentProfile.SEALED)));
        block = Math.min(block, micros(offsets.length, () -> blocks(blocks, group)));
      }
      System.out.printf(
          Locale.ROOT,
          "%s in groups of %,5d: frame %.3f + seal %.3f us/event, %.1f B; block %.3f, %.1f B%n",
          name,
          group,
          frame,
          seal,
          (double) frames(frames, group) / offsets.length,
          block,
          (double) blocks(blocks, group) / offsets.length);
    }
  }

  private long frames(FrameEncoder frames, int group) {
    long bytes = 0;
    for (int from = 0; from < offsets.length; from += group) {
      int limit = Math.min(offsets.length, from + group);
      long end = limit < offsets.length ? offsets[limit] : batch.bytes();
      MemorySegment events = batch.memory().asSlice(offsets[from], end - offsets[from]);
      bytes += frames.encode(1, 0, limit, 0, events, limit - from, 0).byteSize();
    }
    return bytes;
  }

  private long blocks(BlockWriter blocks, int group) {
    var out = new ByteSink();
    long bytes = 0;
    for (int from = 0; from < offsets.length; from += group) {
      int limit = Math.min(offsets.length, from + group);
      for (int i = from; i < limit; i++) {
        blocks.add(view.show(batch.memory(), offsets[i]));
      }
      out.clear();
      blocks.finish(limit - from, out, new SegmentChecksum(STORE, 1), 0);
      bytes += out.length();
    }
    return bytes;
  }

  private long read(Segment segment, boolean descending, int count) {
    long bytes = 0;
    Scan scan = Scan.all().withDescending(descending);
    try (EventCursor cursor = SegmentCursor.open(segment, KEY, scan)) {
      for (int i = 0; i < count && cursor.next() == EventCursor.Step.EVENT; i++) {
        bytes += cursor.event().find(AttributeName.BODY, value) ? value.length() : 0;
      }
    }
    return bytes;
  }

  private static double micros(int events, LongSupplier work) {
    long before = THREADS.getCurrentThreadCpuTime();
    if (work.getAsLong() == 0) {
      throw new IllegalStateException("nothing done");
    }
    return (THREADS.getCurrentThreadCpuTime() - before) / 1e3 / events;
  }

  private void table(List<SegmentProfile> forms, int rounds) {
    double[] least = new double[forms.size()];
    Arrays.fill(least, Double.MAX_VALUE);
    long[] bytes = new long[forms.size()];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < least.length; i++) {
        int at = i;
        least[i] =
            Math.min(least[i], micros(offsets.length, () -> bytes[at] = seal(forms.get(at))));
      }
    }
    List<TestEvent> access = SegmentSizes.access();
    List<TestEvent> broker = SegmentSizes.broker();
    for (int i = 0; i < least.length; i++) {
      System.out.printf(
          Locale.ROOT,
          "%-75s %7.3f us/event %6.2f B, real access %6.2f B, broker %6.2f B%n",
          forms.get(i),
          least[i],
          (double) bytes[i] / offsets.length,
          (double) SegmentSizes.bytes(access, forms.get(i)) / access.size(),
          (double) SegmentSizes.bytes(broker, forms.get(i)) / broker.size());
    }
  }

  private void reads(SegmentProfile form, int rounds) {
    seal(form);
    List<Double> scans = new ArrayList<>();
    List<Double> latest = new ArrayList<>();
    try (Segment segment = Segment.open(disk, FILE, STORE, 1)) {
      for (int i = 0; i < rounds; i++) {
        scans.add(micros(offsets.length, () -> read(segment, false, offsets.length)));
        latest.add(
            micros(
                20, () -> IntStream.range(0, 20).mapToLong(_ -> read(segment, true, 100)).sum()));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%-75s scan %.3f us/event (%.2f M/s), latest 100 %.0f us%n",
        form,
        scans.stream().min(Double::compare).orElseThrow(),
        1 / scans.stream().min(Double::compare).orElseThrow(),
        latest.stream().min(Double::compare).orElseThrow());
  }

  private static void metricsTable(SegmentProfile form, int rounds) {
    for (int hosts : new int[] {100, 1_000}) {
      SegmentCost cost = metrics(65_536, hosts);
      double least = Double.MAX_VALUE;
      for (int round = 0; round < rounds; round++) {
        least = Math.min(least, micros(cost.offsets.length, () -> cost.seal(form)));
      }
      System.out.printf(
          Locale.ROOT,
          "%-75s %,5d hosts %7.3f us/event %6.2f B%n",
          form,
          hosts,
          least,
          (double) cost.seal(form) / cost.offsets.length);
    }
  }

  private static SegmentProfile form(int level, SegmentProfile base) {
    return new SegmentProfile(level, base.blockEvents(), base.blockBytes(), base.filterBits());
  }

  private static List<SegmentProfile> blocks(SegmentProfile base) {
    return IntStream.of(2_048, 4_096, 8_192, 16_384, 32_768)
        .mapToObj(
            events -> new SegmentProfile(base.zstdLevel(), events, 8 << 20, base.filterBits()))
        .toList();
  }

  /// Arguments: `seal ROUNDS`, `once ROUNDS`, `pieces ROUNDS`, `final ROUNDS`, `broker ROUNDS`,
  /// `metrics ROUNDS`, `merge ROUNDS`, `levels ROUNDS`, `blocks ROUNDS` or `reads ROUNDS`.
  public static void main(String[] arguments) {
    int rounds = Integer.parseInt(arguments[1]);
    switch (arguments[0]) {
      case "seal" -> access(131_072).table(List.of(SegmentProfile.SEALED), rounds);
      case "pieces" -> {
        SegmentProfile sealed = SegmentProfile.SEALED;
        var bare = new SegmentProfile(1, sealed.blockEvents(), sealed.blockBytes(), 0);
        for (int events : new int[] {64, 256, 1_024, 4_096}) {
          access(65_536).pieces(events, sealed, rounds);
          access(65_536).pieces(events, bare, rounds);
        }
      }
      case "once" -> {
        for (int group : new int[] {250, 1_000, 5_000}) {
          access(40_000).once("access log", group, rounds);
          metrics(40_000, 100).once("metrics", group, rounds);
          mixed(40_000).once("broker log", group, rounds);
        }
      }
      case "final" -> access(65_536).table(List.of(SegmentProfile.FINAL), rounds);
      case "metrics" -> {
        metricsTable(SegmentProfile.SEALED, rounds);
        metricsTable(SegmentProfile.FINAL, rounds);
      }
      case "merge" -> {
        access(65_536).merging("access log", rounds);
        metrics(65_536, 100).merging("metrics", rounds);
        of(SegmentSizes.broker()).merging("broker log", rounds);
      }
      case "broker" -> {
        of(SegmentSizes.broker())
            .table(List.of(SegmentProfile.SEALED, SegmentProfile.FINAL), rounds);
        of(SegmentSizes.broker()).reads(SegmentProfile.FINAL, rounds);
        mixed(65_536).table(List.of(SegmentProfile.SEALED, SegmentProfile.FINAL), rounds);
        prose(32_768).table(List.of(SegmentProfile.SEALED), rounds);
      }
      case "levels" ->
          access(65_536)
              .table(
                  IntStream.of(3, 6, 9, 12, 15, 19)
                      .mapToObj(level -> form(level, SegmentProfile.FINAL))
                      .toList(),
                  rounds);
      case "blocks" -> {
        access(65_536).table(blocks(SegmentProfile.SEALED), rounds);
        access(65_536).table(blocks(SegmentProfile.FINAL), rounds);
      }
      case "reads" -> {
        access(131_072).reads(SegmentProfile.SEALED, rounds);
        access(131_072).reads(SegmentProfile.FINAL, rounds);
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }
}
