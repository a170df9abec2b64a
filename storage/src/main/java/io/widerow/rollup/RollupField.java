package io.widerow.rollup;

import io.widerow.event.AttributeName;

/// An attribute of which a rollup keeps aggregates.
///
/// @param figures bits of [RollupFigure], at least one
public record RollupField(AttributeName name, int figures) {
  public RollupField {
    if (figures < 1 || figures > RollupFigure.ALL) {
      throw new IllegalArgumentException("figures of %s: %d".formatted(name, figures));
    }
  }

  /// True when it keeps this aggregate.
  public boolean has(RollupFigure figure) {
    return (figures & figure.bit) != 0;
  }
}
