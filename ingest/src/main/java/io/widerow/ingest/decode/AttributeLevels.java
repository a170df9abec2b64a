package io.widerow.ingest.decode;

import static io.widerow.event.Utf8.ascii;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/// The places where the attributes of one event come from, the first being the most its own: its
/// fields, its attributes, its scope, its resource. Names are kept as they were sent. Where two are
/// equal, the one of the lower level keeps the name, and the other gets the prefix of its level;
/// two names of one level get `.2`, `.3` at the end. So no value of a sender is lost.
///
/// The names `id`, `ts` and `type` are those of an event itself. Levels that reserve them give them
/// their prefix always. On the others, queries show them as `attributes.id`.
///
/// - Threads: any; immutable.
public final class AttributeLevels {
  private static final byte[] ID = ascii("id");
  private static final byte[] TS = ascii("ts");
  private static final byte[] TYPE = ascii("type");
  private static final int RESERVED_BYTES_MAX = 4;

  private final byte[][] prefixes;
  private final boolean[] reserving;

  /// @param levels a prefix each, such as `resource.`; an empty one for a level without, which then
  ///   does not reserve names. [#ATTRIBUTES] does not either
  public AttributeLevels(String... levels) {
    prefixes = new byte[levels.length][];
    reserving = new boolean[levels.length];
    for (int i = 0; i < levels.length; i++) {
      prefixes[i] = ascii(levels[i]);
      reserving[i] = !levels[i].isEmpty() && !levels[i].equals(ATTRIBUTES);
    }
  }

  private AttributeLevels(boolean reserve, String... levels) {
    this(levels);
    if (!reserve) {
      Arrays.fill(reserving, false);
    }
  }

  /// Levels that reserve no names.
  public static AttributeLevels unreserved(String... levels) {
    return new AttributeLevels(false, levels);
  }

  /// The prefix of what a sender calls the attributes of an event.
  public static final String ATTRIBUTES = "attributes.";

  /// Whether a name of this level must get its prefix.
  boolean isReserved(int level, byte[] source, int offset, int length) {
    return length <= RESERVED_BYTES_MAX
        && reserving[level]
        && (is(ID, source, offset, length)
            || is(TS, source, offset, length)
            || is(TYPE, source, offset, length));
  }

  private static boolean is(byte[] name, byte[] source, int offset, int length) {
    return Arrays.equals(name, 0, name.length, source, offset, offset + length);
  }

  /// Replaces names until all differ.
  ///
  /// @param names of the attributes of one event, in the order sent
  /// @param levels of each
  void rename(byte[][] names, byte[] levels) {
    Map<String, Integer> taken = new HashMap<>(); // a name, and how often it was asked for
    IntStream.range(0, names.length)
        .boxed()
        .sorted(Comparator.comparingInt(i -> levels[i])) // stable
        .forEach(i -> names[i] = free(names[i], levels[i], taken));
  }

  private byte[] free(byte[] name, int level, Map<String, Integer> taken) {
    boolean reserved = isReserved(level, name, 0, name.length);
    byte[] wanted = reserved ? prefixed(name, level) : name;
    if (taken.putIfAbsent(key(wanted), 1) == null) {
      return wanted;
    }
    if (!reserved && prefixes[level].length > 0) {
      wanted = prefixed(name, level);
      if (taken.putIfAbsent(key(wanted), 1) == null) {
        return wanted;
      }
    }
    byte[] counted;
    do {
      int number = taken.merge(key(wanted), 1, Integer::sum);
      counted = joined(wanted, ascii("." + number));
    } while (taken.putIfAbsent(key(counted), 1) != null);
    return counted;
  }

  private byte[] prefixed(byte[] name, int level) {
    return joined(prefixes[level], name);
  }

  private static byte[] joined(byte[] front, byte[] back) {
    byte[] both = Arrays.copyOf(front, front.length + back.length);
    System.arraycopy(back, 0, both, front.length, back.length);
    return both;
  }

  private static String key(byte[] name) {
    return new String(name, StandardCharsets.ISO_8859_1);
  }
}
