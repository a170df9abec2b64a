/// The HTTP side of queries: `GET /v1/query`, answers in pieces under back pressure, and small
/// questions answered on the event loop that they came in on.
///
/// - Threads: a virtual thread per query that may wait; event loops for those that do not.
@NullMarked
package io.widerow.ingest.serve.query;

import org.jspecify.annotations.NullMarked;
