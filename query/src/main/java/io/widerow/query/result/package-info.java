/// A query in the form of its HTTP parameters, and its answer as bytes, independent of transport:
/// events, aggregates, and the live tail. Opens no sockets.
///
/// - Threads: an answer belongs to one thread.
@NullMarked
package io.widerow.query.result;

import org.jspecify.annotations.NullMarked;
