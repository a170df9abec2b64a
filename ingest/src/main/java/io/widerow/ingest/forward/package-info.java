/// Sends the events of the store to another system.
@NullMarked
package io.widerow.ingest.forward;

import org.jspecify.annotations.NullMarked;
