package io.widerow.query.series;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The role of an attribute that is not a label but part of the sample. The protocols that bring
/// samples give these names to their own numbers, and other names to labels that have them, see
/// `ingest/PROTOCOLS.md`.
enum Role {
  LABEL,
  VALUE,
  STALE,
  START,
  MONOTONIC,
  FLAGS,
  TEMPORALITY,
  EXEMPLARS,
  EXEMPLAR,
  UNIT,
  DESCRIPTION,

  // From here on of histograms and summaries.
  COUNT,
  SUM,
  BOUNDS,
  BUCKETS,
  QUANTILES,
  SCALE,
  SCHEMA,
  ZERO_COUNT,
  RESET_HINT,
  CUSTOM_VALUES,
  POSITIVE,
  POSITIVE_OFFSET,
  POSITIVE_SPANS,
  POSITIVE_COUNTS,
  NEGATIVE,
  NEGATIVE_OFFSET,
  NEGATIVE_SPANS,
  NEGATIVE_COUNTS;

  private static final Set<Role> OF_HISTOGRAMS = EnumSet.range(COUNT, NEGATIVE_COUNTS);
  private static final Map<String, Role> BY_NAME = byName();

  private static Map<String, Role> byName() {
    Map<String, Role> roles = new HashMap<>();
    for (Role role : values()) {
      if (role != LABEL) {
        roles.put(role.name().toLowerCase(Locale.ROOT), role);
      }
    }
    return roles;
  }

  static Role of(String name) {
    return BY_NAME.getOrDefault(name, LABEL);
  }

  /// True when only histograms and summaries have it.
  boolean isOfHistograms() {
    return OF_HISTOGRAMS.contains(this);
  }
}
