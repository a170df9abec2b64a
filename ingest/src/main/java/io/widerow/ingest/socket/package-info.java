/// Code that receivers with sockets share: listening on TCP and UDP, framing, limits, waiting for
/// durability, and draining at shutdown.
///
/// - Threads: one event loop per receiver, `widerow-NAME`.
@NullMarked
package io.widerow.ingest.socket;

import org.jspecify.annotations.NullMarked;
