/// The way out: range queries over a store, their filter language, aggregates and output, and the
/// command line in front of them.
@NullMarked
package io.widerow.query;

import org.jspecify.annotations.NullMarked;
