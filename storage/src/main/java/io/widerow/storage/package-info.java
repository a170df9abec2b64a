/// The wide-row store: append, commit, seal, merge, read back in order. No sockets, and no threads
/// but those that its owner hands in.
@NullMarked
package io.widerow.storage;

import org.jspecify.annotations.NullMarked;
