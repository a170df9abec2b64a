/// From the bytes of a body to a batch in a lane: byte credit claimed before a body is read,
/// digests that detect retries, and the response when a lane has committed.
///
/// - Threads: the threads that decode: event loops for small bodies, blocking threads for large
///   ones.
@NullMarked
package io.widerow.ingest.intake;

import org.jspecify.annotations.NullMarked;
