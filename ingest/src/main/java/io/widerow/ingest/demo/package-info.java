/// `widerow demo`: real logs in over three protocols, answers out.
///
/// - Threads: its own daemon's, and one per sender.
@NullMarked
package io.widerow.ingest.demo;

import org.jspecify.annotations.NullMarked;
