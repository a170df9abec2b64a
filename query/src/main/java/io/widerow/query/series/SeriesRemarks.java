package io.widerow.query.series;

/// Takes what a reader of series should know.
///
/// - Threads: one.
public interface SeriesRemarks {
  /// Drops all.
  SeriesRemarks NONE =
      new SeriesRemarks() {
        @Override
        public void warn(String what) {}

        @Override
        public void inform(String what) {}
      };

  /// The result may be wrong.
  void warn(String what);

  /// The query may be.
  void inform(String what);
}
