/// The rule file: which fields of which events are renamed, dropped, redacted or hashed, and which
/// events are dropped, between a decoder and the journal. The language is in `docs/SHIP.md`, Rules.
///
/// - Threads: rules are immutable; a run belongs to one thread at a time.
@NullMarked
package io.widerow.ingest.transform;

import org.jspecify.annotations.NullMarked;
