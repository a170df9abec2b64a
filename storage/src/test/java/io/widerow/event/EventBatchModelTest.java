package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a batch holds exactly the events it accepted, each attribute once and in order. It refuses
/// the others for the first reason and is then unchanged. Method: put random events, good and bad,
/// into a batch with narrow limits and into a list of plain maps. The seed is the test's name.
class EventBatchModelTest {
  private static final byte[] NOT_UTF8 = {'a', (byte) 0xc0, (byte) 0x80};

  /// An event of the model. Names are in Latin-1, one character a byte, so that the map's order is
  /// that of the bytes.
  private record Event(EventId id, boolean own, String type, Map<String, Object> attributes) {}

  /// What [EventBatch] must do, with maps instead of bytes.
  private static final class Model {
    final List<Event> events = new ArrayList<>();
    final Set<Rejection> seen = EnumSet.noneOf(Rejection.class);
    final int eventBytesMax;
    final long bytesMax;
    long bytes;
    int length;
    boolean twice;
    @Nullable Rejection why;
    TreeMap<String, Object> attributes = new TreeMap<>();
    List<byte[]> namesKnown = List.of(); // known to the batch
    long known = -1;
    int withoutNames; // values put without names
    final RecordTemplate template = new RecordTemplate();
    @Nullable Event like; // taken by the template
    int likeLength;
    int alike; // events made from it
    final EventNames shape = new EventNames();
    List<byte[]> shapeNames = List.of(); // that it holds
    int skipped; // names without a value

    Model(int eventBytesMax, long bytesMax) {
      this.eventBytesMax = eventBytesMax;
      this.bytesMax = bytesMax;
    }

    void begin(byte[] type, boolean timeIsGood) {
      why = null;
      twice = false;
      length = EventLayout.HEADER_BYTES;
      attributes = new TreeMap<>();
      if (type.length == 0 || type.length > 128 || Arrays.equals(type, NOT_UTF8)) {
        why = Rejection.TYPE_INVALID;
      } else {
        take(1 + type.length);
      }
      if (!timeIsGood && why == null) {
        why = Rejection.TIME_OUT_OF_RANGE;
      }
    }

    void put(byte[] name, Object value, int valueBytes, boolean valueIsGood) {
      if (why == null && !valueIsGood) {
        why = Rejection.TEXT_NOT_UTF8;
      }
      if (why == null && (name.length == 0 || name.length > 255 || Arrays.equals(name, NOT_UTF8))) {
        why = Rejection.ATTRIBUTE_NAME_INVALID;
      }
      if (why == null) {
        take(2 + name.length + valueBytes);
        twice |= attributes.put(new String(name, StandardCharsets.ISO_8859_1), value) != null;
      }
    }

    /// Begins an event like the one that the template took.
    void beginLike(Event other, boolean timeIsGood) {
      twice = false;
      why = timeIsGood ? null : Rejection.TIME_OUT_OF_RANGE;
      length = EventLayout.HEADER_BYTES;
      attributes = new TreeMap<>(other.attributes);
      if (why == null) {
        take(likeLength - EventLayout.HEADER_BYTES);
      }
    }

    private void take(int more) {
      length += more;
      if (length > eventBytesMax) {
        why = Rejection.EVENT_TOO_LARGE;
      } else if (bytes + EventLayout.alignedLength(length) > bytesMax) {
        why = Rejection.BATCH_FULL;
      }
    }

    @Nullable Rejection end(EventId id, boolean own, byte[] type) {
      if (why == null && twice) {
        why = Rejection.ATTRIBUTE_TWICE;
      }
      if (why == null) {
        events.add(new Event(id, own, text(type), attributes));
        bytes += EventLayout.alignedLength(length);
      } else {
        seen.add(why);
      }
      return why;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void batchEqualsModel(long seed) {
    var random = new SplittableRandom(seed);
    var model = new Model(random.nextInt(100, 3_000), random.nextInt(1_000, 100_000));
    try (var batch =
        new EventBatch(random.nextInt(32, 1_000), model.bytesMax, model.eventBytesMax)) {
      for (int i = 0; i < 200; i++) {
        byte[] before = bytesOf(batch);

        boolean refused = addRandomEvent(random, batch, model);

        assertEquals(model.events.size(), batch.count());
        assertEquals(model.bytes, batch.bytes());
        assertEquals(model.events.stream().filter(Event::own).count(), batch.ownIds());
        if (refused) {
          assertTrue(Arrays.equals(before, bytesOf(batch)), "a refused event left something");
        }
      }
      assertReadsBack(batch, model.events);

      batch.clear();
      model.events.clear();
      model.bytes = 0;
      addRandomEvent(random, batch, model);
      assertReadsBack(batch, model.events);
    }
  }

  @Test
  void modelReachesEveryReasonThatABatchSeesItselfAndValuesWithoutNames() {
    Set<Rejection> seen = EnumSet.noneOf(Rejection.class);
    int withoutNames = 0;
    int alike = 0;
    int skipped = 0;
    for (long seed = 0; seed < 20; seed++) {
      var random = new SplittableRandom(seed);
      var model = new Model(500, 4_000);
      try (var batch = new EventBatch(32, model.bytesMax, model.eventBytesMax)) {
        for (int i = 0; i < 200; i++) {
          addRandomEvent(random, batch, model);
        }
      }
      seen.addAll(model.seen);
      withoutNames += model.withoutNames;
      alike += model.alike;
      skipped += model.skipped;
    }
    assertTrue(skipped > 100, skipped + " names without a value");
    assertTrue(alike > 100, alike + " events made from others");
    assertTrue(withoutNames > 1_000, withoutNames + " values without names");
    assertEquals(
        EnumSet.of(
            Rejection.EVENT_TOO_LARGE,
            Rejection.TYPE_INVALID,
            Rejection.TIME_OUT_OF_RANGE,
            Rejection.ATTRIBUTE_NAME_INVALID,
            Rejection.ATTRIBUTE_TWICE,
            Rejection.TEXT_NOT_UTF8,
            Rejection.BATCH_FULL),
        seen);
  }

  private static boolean addRandomEvent(SplittableRandom random, EventBatch batch, Model model) {
    Event like = model.like;
    if (like != null && random.nextInt(4) == 0) {
      return addLike(random, batch, model, like);
    }
    if (!model.shapeNames.isEmpty() && random.nextInt(4) == 0) {
      return addNamed(random, batch, model);
    }
    byte[] type = rarely(random) ? NOT_UTF8 : text(random, rarely(random) ? 200 : 20);
    boolean own = random.nextInt(4) == 0;
    boolean timeIsGood = !rarely(random);
    long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
    long nanosAsked = timeIsGood ? nanos : -1 - random.nextLong(Long.MAX_VALUE);
    long tail = TimeUuid.tailOf(nanos, 0, own ? random.nextLong() : 0);
    var id = new EventId(TimeUuid.timeOfNanos(nanosAsked), tail);
    model.begin(type, timeIsGood);
    if (own) {
      batch.begin(type, 0, type.length, id);
    } else {
      batch.begin(type, 0, type.length, nanosAsked);
    }
    List<byte[]> names = new ArrayList<>();
    if (random.nextBoolean() && batch.knowsNames(model.known)) {
      names.addAll(model.namesKnown.subList(0, random.nextInt(model.namesKnown.size() + 1)));
      names.forEach(name -> putNext(random, batch, model, name));
      model.withoutNames += names.size();
    }
    int known = names.size();
    Stream.generate(() -> rarely(random) ? NOT_UTF8 : text(random, rarely(random) ? 300 : 5))
        .limit(random.nextInt(12))
        .forEach(names::add);
    if (random.nextBoolean()) {
      names.subList(known, names.size()).sort(Arrays::compareUnsigned);
    }
    for (byte[] name : names.subList(known, names.size())) {
      putRandom(random, batch, model, name);
    }
    if (batch.names() >= 0) {
      model.known = batch.names();
      model.namesKnown = names;
    }
    Rejection expected = model.end(id, own, type);
    Rejection actual = batch.end();
    assertEquals(expected, actual);
    if (actual == null && random.nextInt(4) == 0) {
      batch.copyLast(model.template);
      model.like = model.events.getLast();
      model.likeLength = model.length;
      assertEquals(model.length, model.template.length());
    }
    if (actual == null && random.nextInt(4) == 0) {
      batch.copyNames(model.shape);
      model.shapeNames =
          model.events.getLast().attributes.keySet().stream()
              .map(name -> name.getBytes(StandardCharsets.ISO_8859_1))
              .toList();
    }
    return actual != null;
  }

  /// Adds an event with some of the names of another one.
  private static boolean addNamed(SplittableRandom random, EventBatch batch, Model model) {
    byte[] type = rarely(random) ? NOT_UTF8 : text(random, rarely(random) ? 200 : 20);
    boolean timeIsGood = !rarely(random);
    long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
    long nanosAsked = timeIsGood ? nanos : -1 - random.nextLong(Long.MAX_VALUE);
    var id = new EventId(TimeUuid.timeOfNanos(nanosAsked), TimeUuid.tailOf(nanosAsked, 0, 0));
    model.begin(type, timeIsGood);
    batch.begin(type, 0, type.length, nanosAsked, model.shape);
    for (byte[] name : model.shapeNames) {
      if (random.nextInt(3) == 0) {
        batch.skipName();
        model.skipped++;
      } else {
        putNext(random, batch, model, name);
        model.withoutNames++;
      }
    }
    assertTrue(batch.names() < 0);
    Rejection expected = model.end(id, false, type);
    Rejection actual = batch.end();
    assertEquals(expected, actual);
    return actual != null;
  }

  /// Adds an event made from another one, with some numbers and booleans of its own.
  private static boolean addLike(
      SplittableRandom random, EventBatch batch, Model model, Event like) {
    boolean timeIsGood = !rarely(random);
    long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
    long nanosAsked = timeIsGood ? nanos : -1 - random.nextLong(Long.MAX_VALUE);
    var id = new EventId(TimeUuid.timeOfNanos(nanosAsked), TimeUuid.tailOf(nanosAsked, 0, 0));
    model.beginLike(like, timeIsGood);
    batch.begin(model.template, nanosAsked);
    int place = 0;
    for (var attribute : model.attributes.entrySet()) {
      AttributeKind kind = model.template.kind(place);
      long bits = kind == AttributeKind.BOOLEAN ? random.nextInt(2) : random.nextLong();
      if (!kind.isText() && random.nextBoolean()) {
        batch.set(place, bits);
        attribute.setValue(
            switch (kind) {
              case LONG -> (Object) bits;
              case DOUBLE -> Double.longBitsToDouble(bits);
              default -> bits != 0;
            });
      }
      place++;
    }
    model.alike++;
    Rejection expected = model.end(id, false, like.type.getBytes(StandardCharsets.UTF_8));
    Rejection actual = batch.end();
    assertEquals(expected, actual);
    return actual != null;
  }

  /// Puts a value whose name the batch knows.
  private static void putNext(SplittableRandom random, EventBatch batch, Model model, byte[] name) {
    switch (random.nextInt(4)) {
      case 0 -> {
        byte[] value = rarely(random) ? NOT_UTF8 : text(random, rarely(random) ? 4_000 : 50);
        model.put(name, text(value), 4 + value.length, !Arrays.equals(value, NOT_UTF8));
        batch.putString(value, 0, value.length);
      }
      case 1 -> {
        long value = random.nextLong();
        model.put(name, value, 8, true);
        batch.putLong(value);
      }
      case 2 -> {
        double value = Double.longBitsToDouble(random.nextLong());
        model.put(name, value, 8, true);
        batch.putDouble(value);
      }
      default -> {
        boolean value = random.nextBoolean();
        model.put(name, value, 1, true);
        batch.putBoolean(value);
      }
    }
  }

  private static void putRandom(
      SplittableRandom random, EventBatch batch, Model model, byte[] name) {
    int n = name.length;
    switch (random.nextInt(5)) {
      case 0 -> {
        byte[] value = rarely(random) ? NOT_UTF8 : text(random, rarely(random) ? 4_000 : 50);
        model.put(name, text(value), 4 + value.length, !Arrays.equals(value, NOT_UTF8));
        batch.putString(name, 0, n, value);
      }
      case 1 -> {
        byte[] value = new byte[random.nextInt(20)];
        random.nextBytes(value);
        model.put(name, Arrays.toString(value), 4 + value.length, true);
        batch.putBytes(name, 0, n, value, 0, value.length);
      }
      case 2 -> {
        long value = random.nextLong();
        model.put(name, value, 8, true);
        batch.putLong(name, 0, n, value);
      }
      case 3 -> {
        double value = Double.longBitsToDouble(random.nextLong());
        model.put(name, value, 8, true);
        batch.putDouble(name, 0, n, value);
      }
      default -> {
        boolean value = random.nextBoolean();
        model.put(name, value, 1, true);
        batch.putBoolean(name, 0, n, value);
      }
    }
  }

  private static void assertReadsBack(EventBatch batch, List<Event> events) {
    var view = new RecordView();
    var value = new AttributeValue();
    long offset = 0;
    for (Event event : events) {
      view.show(batch.memory(), offset);
      assertEquals(event.id, view.id());
      assertEquals(
          event.own ? EventLayout.VERSION_OWN : EventLayout.VERSION_ASSIGNED, view.version());
      assertEquals(event.type, view.type());
      assertEquals(0, EventLayout.shard(batch.memory(), offset));
      List<String> expected = new ArrayList<>();
      event.attributes.forEach((name, v) -> expected.add(name + "=" + v));
      List<String> actual = new ArrayList<>();
      view.forEach(value, (name, v) -> actual.add(latin(name) + "=" + shown(v)));
      assertEquals(expected, actual);
      for (String name : event.attributes.keySet()) {
        assertTrue(view.find(nameOf(name), value));
        assertEquals(String.valueOf(event.attributes.get(name)), shown(value));
      }
      assertFalse(view.find(AttributeName.of("not there"), value));
      int aligned = EventLayout.alignedLength(view.length());
      MemorySegment padding =
          batch.memory().asSlice(offset + view.length(), aligned - view.length());
      assertTrue(Arrays.equals(new byte[aligned - view.length()], copy(padding)), "padding");
      offset += aligned;
    }
    assertEquals(batch.bytes(), offset);
  }

  private static String shown(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES ? Arrays.toString(value.toBytes()) : "" + value;
  }

  private static AttributeName nameOf(String latin) {
    byte[] utf8 = latin.getBytes(StandardCharsets.ISO_8859_1);
    return AttributeName.of(MemorySegment.ofArray(utf8), 0, utf8.length);
  }

  private static String latin(AttributeName name) {
    return new String(copy(name.utf8()), StandardCharsets.ISO_8859_1);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static byte[] copy(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] bytesOf(EventBatch batch) {
    return copy(batch.memory().asSlice(0, batch.bytes()));
  }

  private static boolean rarely(SplittableRandom random) {
    return random.nextInt(60) == 0;
  }

  /// Zero to `lengthMax` bytes of UTF-8, often few, so that names repeat.
  private static byte[] text(SplittableRandom random, int lengthMax) {
    int length = random.nextInt(50) == 0 ? 0 : 1 + random.nextInt(lengthMax);
    var text = new StringBuilder();
    while (text.length() < length) {
      text.append("abcéxyz\0€".charAt(random.nextInt(9)));
    }
    byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
    return utf8;
  }
}
