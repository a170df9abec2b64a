/// `widerow ship`: follows log files, or imports them, and sends their records to a daemon;
/// `widerow import`: sends files of an export, with their ids. A client of `POST /v1/events`: it
/// opens no store.
///
/// ```
///   FilePatterns --> FileWatch --> FollowedFile --> RecordReader --> Batch --> Sender --> daemon
///   (globs)          (rotation)    (position)       (records)          |
///                                                   Checkpoint <-------+  before it is sent
/// ```
///
/// - Threads: the main thread reads and plans; a virtual thread sends each batch.
@NullMarked
package io.widerow.cli.ship;

import org.jspecify.annotations.NullMarked;
