/// A daemon's answers read back over HTTP as cursors, so that the command line asks a daemon as it
/// asks a directory.
///
/// - Threads: a cursor belongs to one thread.
@NullMarked
package io.widerow.query.remote;

import org.jspecify.annotations.NullMarked;
