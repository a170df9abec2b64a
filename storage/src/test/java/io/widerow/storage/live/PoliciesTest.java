package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TypeGlob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: the most specific policy decides about a type, whatever the order in which policies were
/// set; a bucket has expired exactly by its age or by the bytes of newer ones; patterns overlap
/// exactly when a text matches both. Method: examples, and random patterns against a search of all
/// short texts. There is no clock and no store.
class PoliciesTest {
  private static final long HOUR = 3_600_000_000_000L;

  private static RetentionPolicy of(String glob, Source source, @Nullable Duration age) {
    return new RetentionPolicy(glob, age, RetentionPolicy.UNLIMITED, RetentionPolicy.GRACE, source);
  }

  private static RetentionPolicy days(String glob, Source source, int days) {
    return of(glob, source, Duration.ofDays(days));
  }

  private static @Nullable Duration age(Policies policies, String type) {
    return policies.of(type).age();
  }

  @Test
  void mostSpecificDecides() {
    Policies policies =
        Policies.of(
            List.of(
                days("*", Source.CONFIG, 1),
                days("nginx.access", Source.CONFIG, 2),
                days("nginx.*", Source.API, 3),
                days("*", Source.API, 4),
                days("ngin?.*", Source.API, 5),
                days("nginx.error", Source.CONFIG, 6),
                days("nginx.error", Source.API, 7),
                days("*.access", Source.API, 8),
                days("cpu*", Source.API, 9),
                days("*cpu", Source.API, 10)));
    assertEquals(Duration.ofDays(2), age(policies, "nginx.access"), "exact before patterns");
    assertEquals(Duration.ofDays(7), age(policies, "nginx.error"), "set before configured");
    assertEquals(Duration.ofDays(3), age(policies, "nginx.other"), "more literals before fewer");
    assertEquals(Duration.ofDays(5), age(policies, "ngino.other"));
    assertEquals(Duration.ofDays(8), age(policies, "apache.access"));
    assertEquals(Duration.ofDays(10), age(policies, "cpu"), "the later of equals");
    assertEquals(Duration.ofDays(4), age(policies, "disk"), "set before configured");
    Policies again = policies.with(days("cpu*", Source.API, 11));
    assertEquals(Duration.ofDays(11), age(again, "cpu"), "setting it again makes it the later");
    assertEquals(10, again.all().size(), "it takes the place of the one before");
    assertEquals(Duration.ofDays(1), age(again.without("*", Source.API), "disk"));
    assertEquals(null, age(Policies.NONE, "disk"));
  }

  @Test
  void policiesOfOneSourceAreReplaced() {
    Policies policies = Policies.of(List.of(days("a", Source.CONFIG, 1), days("b", Source.API, 2)));
    Policies next = policies.with(Source.CONFIG, List.of(days("c", Source.CONFIG, 3)));
    assertEquals(null, age(next, "a"));
    assertEquals(Duration.ofDays(2), age(next, "b"));
    assertEquals(Duration.ofDays(3), age(next, "c"));
    assertTrue(policies.keepAllOf(policies, List.of("a", "b", "c")));
    assertTrue(next.keepAllOf(policies, List.of("a", "b")));
    assertFalse(next.keepAllOf(policies, List.of("a", "b", "c")));
  }

  /// The sum of the longest age and a time of this century is beyond a long.
  @Test
  void theLongestAgeIsNotPast() {
    Policies policies = Policies.of(List.of(of("cpu", Source.API, Duration.ofDays(100_000))));
    long now = Duration.ofDays(20_800).toNanos(); // in 2026
    RetentionSnapshot kept = RetentionSnapshot.at(policies, Map.of(), now);
    assertFalse(kept.isPast("cpu", now));
    assertFalse(kept.isPast("cpu", 8 * HOUR));
    assertTrue(kept.pastUntilNanos() < 0);
  }

  @Test
  void bucketIsPastByAgeFromItsEnd() {
    Policies policies = Policies.of(List.of(of("cpu", Source.API, Duration.ofHours(2))));
    RetentionSnapshot kept = RetentionSnapshot.at(policies, Map.of(), 10 * HOUR);
    assertTrue(kept.isPast("cpu", 8 * HOUR));
    assertFalse(kept.isPast("cpu", 8 * HOUR + 1));
    assertFalse(kept.isPast("disk", 0));
    assertEquals(8 * HOUR, kept.pastUntilNanos());
    assertEquals(8 * HOUR, kept.keptFromNanos("cpu", HOUR));
  }

  @Test
  void oldestBucketsOfAllTypesArePastByBytes() {
    RetentionPolicy limited = new RetentionPolicy("*", null, 100, Duration.ZERO, Source.API);
    RetentionPolicy own = new RetentionPolicy("own", null, 5, Duration.ZERO, Source.API);
    Policies policies = Policies.of(List.of(limited, own));
    List<RetentionSnapshot.Weight> weights = new ArrayList<>();
    for (int hour = 1; hour <= 6; hour++) {
      weights.add(new RetentionSnapshot.Weight("a", hour * HOUR, 20));
      weights.add(new RetentionSnapshot.Weight("b", hour * HOUR, 10));
      weights.add(new RetentionSnapshot.Weight("own", hour * HOUR, 1));
    }
    RetentionSnapshot kept =
        RetentionSnapshot.at(
            policies, RetentionSnapshot.horizons(policies, weights, 7 * HOUR), 7 * HOUR);
    for (String type : List.of("a", "b", "c")) {
      assertTrue(kept.isPast(type, 3 * HOUR), type);
      assertFalse(kept.isPast(type, 4 * HOUR), "three buckets have 90, a fourth makes it 120");
    }
    assertTrue(kept.isPast("own", HOUR));
    assertFalse(kept.isPast("own", 2 * HOUR));
    assertEquals(3 * HOUR, kept.pastUntilNanos());
  }

  @Test
  void bucketThatIsNotOverIsNeverPastForItsBytes() {
    Policies policies =
        Policies.of(List.of(new RetentionPolicy("*", null, 1, Duration.ZERO, Source.API)));
    List<RetentionSnapshot.Weight> weights =
        List.of(
            new RetentionSnapshot.Weight("a", 5 * HOUR, 50),
            new RetentionSnapshot.Weight("a", 2 * HOUR, 50));
    Map<RetentionPolicy, Long> horizons = RetentionSnapshot.horizons(policies, weights, 4 * HOUR);
    RetentionSnapshot kept = RetentionSnapshot.at(policies, horizons, 4 * HOUR);
    assertFalse(kept.isPast("a", 5 * HOUR));
    assertTrue(kept.isPast("a", 2 * HOUR));
  }

  @Test
  void valuesThatCannotWorkAreRefusedWithTheValue() {
    refused("0 to 30 days", "grace", () -> grace(Duration.ofDays(31)), "PT744H");
    refused("not negative", "grace", () -> grace(Duration.ofSeconds(-1)), "PT-1S");
    refused("zero", "age", () -> of("a", Source.API, Duration.ZERO), "PT0S");
    refused("empty", "type", () -> of("", Source.API, null), "''");
    refused("too long", "type", () -> of("x".repeat(129), Source.API, null), "xxx");
    refused(
        "negative",
        "bytes",
        () -> new RetentionPolicy("a", null, -5, Duration.ZERO, Source.API),
        "-5");
  }

  private static RetentionPolicy grace(Duration grace) {
    return new RetentionPolicy("a", null, RetentionPolicy.UNLIMITED, grace, Source.API);
  }

  private static void refused(String what, String key, Runnable made, String value) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, made::run, what).getMessage());
    assertTrue(message.startsWith(key + ": "), message);
    assertTrue(message.contains(value), message);
  }

  @Test
  void patternsOverlapWhenATextMatchesBoth() {
    List<String> texts = new ArrayList<>(List.of(""));
    for (int at = 0; at < texts.size() && texts.get(at).length() < 6; at++) {
      texts.add(texts.get(at) + "a");
      texts.add(texts.get(at) + "b");
    }
    var random = new SplittableRandom(1);
    int overlapping = 0;
    for (int i = 0; i < 2_000; i++) {
      String one = pattern(random);
      String other = pattern(random);
      LongPredicate both =
          at ->
              TypeGlob.matches(one, texts.get((int) at))
                  && TypeGlob.matches(other, texts.get((int) at));
      boolean found = java.util.stream.LongStream.range(0, texts.size()).anyMatch(both);
      overlapping += found ? 1 : 0;
      assertEquals(found, TypeGlob.overlap(one, other), one + " and " + other);
    }
    assertTrue(overlapping > 500 && overlapping < 1_900, overlapping + " overlap");
  }

  private static String pattern(SplittableRandom random) {
    StringBuilder pattern = new StringBuilder();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      pattern.append("ab*?".charAt(random.nextInt(4)));
    }
    return pattern.toString();
  }
}
