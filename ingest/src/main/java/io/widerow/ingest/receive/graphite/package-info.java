/// Graphite: its plaintext protocol over TCP and UDP, and its pickle protocol over TCP.
///
/// - Threads: those of its two receivers.
@NullMarked
package io.widerow.ingest.receive.graphite;

import org.jspecify.annotations.NullMarked;
