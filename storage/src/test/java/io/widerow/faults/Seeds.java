package io.widerow.faults;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/// Seeds of property, model and fault tests, which stand in the tests' names or in what they print.
///
/// They follow from `-Dseeds=TEXT`, which is the commit when `./widerow test --all` runs: each
/// commit looks at other cases, and its result can be repeated. Without it, as in the first tier,
/// they are always the same ones; `-Dseeds=random` draws them, and `-Dseed=N` takes one again.
public final class Seeds {
  private static final String TEXT = text();

  static {
    System.out.println("seeds: " + again());
  }

  private Seeds() {}

  private static String text() {
    String given = System.getProperty("seeds", "none");
    return given.equals("random") ? Long.toHexString(new SplittableRandom().nextLong()) : given;
  }

  /// The option that takes the same seeds again.
  static String again() {
    Long one = Long.getLong("seed");
    return one != null ? "-Dseed=" + one : "-Dseeds=" + TEXT;
  }

  public static List<Long> of(int count) {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : source().longs(count).boxed().toList();
  }

  public static long one() {
    return of(1).getFirst();
  }

  private static SplittableRandom source() {
    byte[] bytes = TEXT.getBytes(StandardCharsets.UTF_8);
    return new SplittableRandom(UUID.nameUUIDFromBytes(bytes).getMostSignificantBits());
  }

  /// One in the first tier.
  public static List<Long> five() {
    return of(Slice.of(1, 5));
  }

  /// Four in the first tier.
  public static List<Long> twenty() {
    return of(Slice.of(4, 20));
  }

  /// Twenty in the first tier.
  public static List<Long> hundred() {
    return of(Slice.of(20, 100));
  }
}
