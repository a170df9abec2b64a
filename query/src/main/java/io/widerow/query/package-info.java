/// Range queries over a store: their filter language, aggregates and output formats, and the
/// command line.
@NullMarked
package io.widerow.query;

import org.jspecify.annotations.NullMarked;
