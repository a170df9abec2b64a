/// The vocabulary: what an event, its id and its partition are, byte for byte. The classes here do
/// no I/O and start no threads.
@NullMarked
package io.widerow.event;

import org.jspecify.annotations.NullMarked;
