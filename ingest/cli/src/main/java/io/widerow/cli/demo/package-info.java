/// `widerow demo`: real logs in over three protocols, answers out.
///
/// - Threads: the main thread, and those of the daemon that it starts.
@NullMarked
package io.widerow.cli.demo;

import org.jspecify.annotations.NullMarked;
