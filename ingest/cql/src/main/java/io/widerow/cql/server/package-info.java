/// The port for drivers of Cassandra: connections, requests and answers of the CQL native protocol.
///
/// ```
///   socket --> FrameReader --> Connection --query--> virtual thread: Planner --> answer --+
///   socket <-- FrameWriter <--------------------------------------------------------------+
/// ```
///
/// - Threads: one event loop, `widerow-cql`; each query has a virtual thread, `widerow-cql-<n>`.
@NullMarked
package io.widerow.cql.server;

import org.jspecify.annotations.NullMarked;
