/// The command line: query, tail, verify, repair, snapshot, completion; their help, errors and exit
/// codes.
///
/// - Threads: the main thread; `query --data` also starts those of [io.widerow.query.QueryThreads].
@NullMarked
package io.widerow.query.cli;

import org.jspecify.annotations.NullMarked;
