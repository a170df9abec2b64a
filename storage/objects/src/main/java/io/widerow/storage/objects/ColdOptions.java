package io.widerow.storage.objects;

import io.widerow.storage.maintenance.ColdControl;
import java.time.Duration;

/// How old segments are moved.
///
/// @param choice which ones
/// @param host of the daemon, for people
/// @param sweepEvery interval of looks for objects that may go
/// @param grace so long such an object stays
public record ColdOptions(
    ColdControl.Choice choice, String host, Duration sweepEvery, Duration grace) {
  private static final Duration SWEEP_EVERY = Duration.ofHours(1);
  private static final Duration GRACE = Duration.ofDays(1);

  /// The usual one.
  public static ColdOptions of(ColdControl.Choice choice, String host) {
    return new ColdOptions(choice, host, SWEEP_EVERY, GRACE);
  }
}
