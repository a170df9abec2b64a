/// Code that HTTP protocols share: requests and their bodies, decompression within limits, answers,
/// authentication, and guards against clients that hold connections.
///
/// - Threads: Armeria's event loops and blocking threads; never a lane's.
@NullMarked
package io.widerow.ingest.http;

import org.jspecify.annotations.NullMarked;
