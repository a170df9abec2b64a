package io.widerow.loadgen.compare;

import java.util.List;

/// The events of a contest, as rows in order of time. No file of them is needed.
interface EventRows {
  List<String> titles();

  long count();

  /// The cells of an event.
  ///
  /// @param place in the order of time, from 0
  List<String> row(long place);

  /// The place of the event at a time, perhaps outside the rows when there is none.
  long placeOf(long micros);
}
