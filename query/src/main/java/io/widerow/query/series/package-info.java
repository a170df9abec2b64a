/// Events as series of samples, as Prometheus sees them: which labels an event has, which series a
/// selector keeps, and their samples, packed as they come.
///
/// ```
///   matchers --> SeriesSelector --> RangeReader --> EventPoints --> SeriesTable --> SeriesSet
///                filter                             labels, value                   chunks
/// ```
///
/// - Threads: one a query; any thread may cancel it.
@NullMarked
package io.widerow.query.series;

import org.jspecify.annotations.NullMarked;
