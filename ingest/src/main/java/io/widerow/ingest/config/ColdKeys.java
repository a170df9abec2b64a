package io.widerow.ingest.config;

import io.widerow.event.TypeGlob;
import io.widerow.ingest.config.Key.Check;
import io.widerow.ingest.config.Key.Default;
import io.widerow.ingest.config.Key.Group;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.S3Options;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Which segments are kept elsewhere, and where.
///
/// @param s3 how to reach a bucket
/// @param age from the end of a bucket, of types without one of their own
/// @param ages by type or pattern
/// @param bytesMin smaller segments stay
/// @param readBudget bytes that one query may fetch
/// @param cacheBytes bytes of a cache on the disk; 0 for none
public record ColdKeys(
    ObjectPlace place,
    S3Options s3,
    Age age,
    Map<String, Age> ages,
    long bytesMin,
    long readBudget,
    long cacheBytes)
    implements ColdControl.Choice {
  private static final long CACHE_BYTES_MAX = 64L << 30;

  static final Key<Optional<ObjectPlace>> COLD =
      new Key<>(
          "cold",
          Group.MAIN,
          Default.of(""),
          Form.PLACE,
          Check.any(),
          "where old segments are kept and read from, file:/DIRECTORY or s3://BUCKET/PREFIX; empty:"
              + " here");

  private static final Key<Age> AFTER =
      new Key<>(
          "cold-after",
          Group.MAIN,
          Default.of("30d"),
          Form.AGE,
          Check.any(),
          "age, from the end of the bucket, at which segments move to `cold`; forever: never");

  static final Key<Age> AFTER_OF =
      new Key<>(
          AFTER.name() + Key.OF_TYPE,
          Group.MAIN,
          Default.computed(_ -> "", "that of `cold-after`", _ -> AFTER.name()),
          Form.AGE,
          Check.any(),
          "the same of this type, or of the types of a pattern");

  private static final Key<Long> BYTES_MIN =
      new Key<>(
          "cold-min-bytes",
          Group.ADVANCED,
          Default.of("1048576"),
          Form.LONG,
          Check.from(0),
          "segments of fewer bytes stay here");

  private static final Key<Long> READ_BUDGET =
      new Key<>(
          "cold-read-budget",
          Group.ADVANCED,
          Default.of("10737418240"),
          Form.LONG,
          Check.from(0),
          "bytes that one query may fetch from `cold`; its parameter `cold-budget` says otherwise");

  private static final Key<Long> CACHE_BYTES =
      new Key<>(
          "cold-cache-bytes",
          Group.ADVANCED,
          Default.of("1073741824"),
          Form.LONG,
          Check.range(0, CACHE_BYTES_MAX),
          "bytes on the disk for parts of cold segments that were read last, at most half of what"
              + " is free at the start; 0: none");

  /// In the order in which they are printed.
  static final List<Key<?>> ALL =
      List.of(COLD, AFTER, AFTER_OF, BYTES_MIN, READ_BUDGET, CACHE_BYTES);

  /// Null without a place.
  static @Nullable ColdKeys of(ConfigValues values, boolean insecure) {
    return values
        .get(COLD)
        .map(place ->
            new ColdKeys(
                place,
                BackupKeys.s3(values, insecure),
                values.get(AFTER),
                values.ofTypes(AFTER_OF),
                values.get(BYTES_MIN),
                values.get(READ_BUDGET),
                values.get(CACHE_BYTES)))
        .orElse(null);
  }

  @Override
  public @Nullable Duration after(String type) {
    return ages.keySet().stream()
        .filter(glob -> TypeGlob.matches(glob, type))
        .min(TypeGlob.SPECIFIC_FIRST)
        .map(ages::get)
        .orElse(age)
        .duration();
  }
}
