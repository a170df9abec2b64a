/// The load generator's commands. It drives a daemon on the wire at a rate that the daemon cannot
/// slow down, and reports what it saw. It knows nothing of the store's code.
///
/// Packages, imports go down only (`LayerTest`):
///
/// ```
///                   loadgen (commands)
///                        |
///                     compare
///                     /     \
///                verify     report
///                     \     /
///                       run
///                        |
///                       wire
///                        |
///                     workload
///                        |
///                      format
/// ```
///
/// - Threads: the main thread runs a command. `run` starts senders and readers, `compare` the
///   thread that kills a server, `wire` the null sink.
@NullMarked
package io.widerow.loadgen;

import org.jspecify.annotations.NullMarked;
