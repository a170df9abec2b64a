/// The HTTP side of queries: `GET /v1/query`, results in pieces under back pressure, and small
/// requests served on their event loop.
///
/// - Threads: a virtual thread per query that may wait; event loops for queries that do not.
@NullMarked
package io.widerow.ingest.serve.query;

import org.jspecify.annotations.NullMarked;
