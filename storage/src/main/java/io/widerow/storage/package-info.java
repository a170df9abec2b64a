/// The storage contract and the embedded store (an LSM tree of wide rows): append, commit, flush,
/// compact, read back in order. No sockets; the only threads are those of the executors that the
/// owner passes in.
@NullMarked
package io.widerow.storage;

import org.jspecify.annotations.NullMarked;
