/// What receivers with sockets of their own share: listening on TCP and UDP, framing, limits,
/// waiting for durability, and draining at shutdown.
///
/// - Threads: one per receiver, named after it.
@NullMarked
package io.widerow.ingest.socket;

import org.jspecify.annotations.NullMarked;
