/// The vocabulary: what an event, its id and its partition are, byte for byte. Does no input or
/// output and starts no threads.
@NullMarked
package io.widerow.event;

import org.jspecify.annotations.NullMarked;
