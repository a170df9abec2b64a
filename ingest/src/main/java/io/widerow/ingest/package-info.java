/// The daemon, put together: configuration to store, lanes, receivers and services, their start and
/// their end. Wiring only; [Daemon] lists every thread.
///
/// ```
///   demo
///   ingest            Daemon, commands
///   receive.*         a package per protocol       serve.*     queries, status
///   http   socket     how requests and streams come in
///   intake            credit, bodies, digests
///   lane   config     rings and ledgers            what an operator decides
///   decode            what all decoders share
/// ```
@NullMarked
package io.widerow.ingest;

import org.jspecify.annotations.NullMarked;
