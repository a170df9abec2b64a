/// The daemon: receivers that decode what senders push, lanes that make it durable, and answers
/// that report truthfully what became of every event.
@NullMarked
package io.widerow.ingest;

import org.jspecify.annotations.NullMarked;
