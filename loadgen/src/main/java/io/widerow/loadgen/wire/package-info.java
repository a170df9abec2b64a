/// The clients: how a batch travels to a target and how a query is asked and timed.
///
/// - Threads: a connection belongs to one thread. Any thread may call a [PeerDriver]. [NullSink]
///   starts daemon threads: `sink` accepts, one `sink-PORT` serves each client.
@NullMarked
package io.widerow.loadgen.wire;

import org.jspecify.annotations.NullMarked;
