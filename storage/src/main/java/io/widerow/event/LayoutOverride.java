package io.widerow.event;

import io.widerow.event.RetentionPolicy.Source;

/// An override of the layout of some types: the width of their buckets, the number of their shards,
/// or both. Of several overrides the most specific one that sets a value decides, for width and
/// shards apart. The constructor refuses values that cannot work with an [IllegalArgumentException]
/// that quotes them.
///
/// @param glob the types: an exact name, or a pattern with `*` and `?`
/// @param widthMinutes width of a bucket, 1 to 1,440 minutes, dividing a day; [#AUTO] to let the
///   store choose; [#UNSAID] to say nothing about it
/// @param shards shards of each bucket and type, a multiple of the lanes; [#AUTO] or [#UNSAID]
/// @param source where it comes from
public record LayoutOverride(String glob, int widthMinutes, int shards, Source source)
    implements GlobPolicies.Policy {
  /// The store chooses.
  public static final int AUTO = 0;

  /// The override leaves the value open.
  public static final int UNSAID = -1;

  /// The most shards of a bucket and type.
  public static final int SHARDS_MAX = 1_024;

  public LayoutOverride {
    TypeGlob.requireLength(glob);
    require(
        widthMinutes == AUTO
            || widthMinutes == UNSAID
            || (widthMinutes > 0 && PartitionKey.MINUTES_PER_DAY % widthMinutes == 0),
        "width: must be auto or divide a day, 1 to 1440 minutes, got " + widthMinutes);
    require(
        shards >= UNSAID && shards <= SHARDS_MAX,
        "shards: must be auto or 1 to 1024, got " + shards);
    require(
        widthMinutes != UNSAID || shards != UNSAID,
        "width: is missing for '%s'; give a width, such as 15m or auto, or shards".formatted(glob));
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// This override; values that it leaves open come from an earlier one.
  public LayoutOverride over(LayoutOverride earlier) {
    return new LayoutOverride(
        glob,
        widthMinutes == UNSAID ? earlier.widthMinutes : widthMinutes,
        shards == UNSAID ? earlier.shards : shards,
        source);
  }
}
