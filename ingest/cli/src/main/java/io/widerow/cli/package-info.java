/// The command line: query, tail, verify, repair, snapshot; their help; and the errors and exit
/// codes of all commands.
///
/// - Threads: the main thread; `query --data` also starts those of [io.widerow.query.QueryThreads].
@NullMarked
package io.widerow.cli;

import org.jspecify.annotations.NullMarked;
