/// Fluent Forward, version 1: the four forms of messages, acknowledgements, and the handshake with
/// a shared key.
///
/// - Threads: that of its receiver.
@NullMarked
package io.widerow.ingest.receive.fluent;

import org.jspecify.annotations.NullMarked;
