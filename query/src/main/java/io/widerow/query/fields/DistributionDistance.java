package io.widerow.query.fields;

import java.util.List;
import java.util.OptionalDouble;

/// The difference of a field's values between the picked events and the rest: half the sum of the
/// absolute differences of the shares (total variation distance), 0 for equal shares to 1 for no
/// value in common. Events without the field are a share too.
final class DistributionDistance {
  /// A field with fewer events a value than this has no score.
  private static final double EVENTS_A_VALUE_LEAST = 1.5;

  private final FieldCounts field;
  private final long rest;
  private final long picked;

  /// @param rest events that were not picked
  /// @param picked events that were
  DistributionDistance(FieldCounts field, long rest, long picked) {
    this.field = field;
    this.rest = rest;
    this.picked = picked;
  }

  /// Empty when it is unknown.
  OptionalDouble score() {
    long having = field.events(ValueCounts.REST) + field.events(ValueCounts.PICKED);
    if (rest == 0 || picked == 0 || having == 0) {
      return OptionalDouble.empty();
    }
    double without =
        distance(rest - field.events(ValueCounts.REST), picked - field.events(ValueCounts.PICKED));
    ValueCounts values = field.values();
    if (field.isNumber() && field.hasManyNumbers()) {
      return OptionalDouble.of(half(without + ofBins(field.bins())));
    }
    if (isOfIds(field)) {
      return OptionalDouble.empty();
    }
    double sum = without;
    for (ValueCounts.Counted value : values.all()) {
      sum += distance(value.rest(), value.picked());
    }
    return OptionalDouble.of(half(sum));
  }

  /// True for a field nearly all of whose values differ, or that has too many to compare.
  static boolean isOfIds(FieldCounts field) {
    long having = field.events(ValueCounts.REST) + field.events(ValueCounts.PICKED);
    ValueCounts values = field.values();
    return values.isMany() || having < EVENTS_A_VALUE_LEAST * values.distinct();
  }

  private double ofBins(List<FieldCounts.Bin> bins) {
    double sum = 0;
    for (FieldCounts.Bin bin : bins) {
      sum += distance(bin.rest(), bin.picked());
    }
    return sum;
  }

  private double distance(long ofRest, long ofPicked) {
    return Math.abs((double) ofRest / rest - (double) ofPicked / picked);
  }

  private static double half(double sum) {
    return Math.min(1, sum / 2);
  }
}
