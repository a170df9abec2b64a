/// One run: the open-loop schedule, the senders, the measurements of latency and cost.
///
/// ```
///  Schedule --time of batch k--> Sender (one a connection) --> Connection --> target
///                                   |                              |
///                                   | response, service, slip      | Reply
///                                   v                              v
///                              RunCounters  <------------------- AckListener
///                                   |
///                                   v  once a second, by the thread of LoadRun
///                       RunWatcher: live line, costs, latency log
/// ```
///
/// `response` counts from the time that the schedule intends, not from the time of sending, so a
/// target that stalls cannot hide its queue (no coordinated omission).
///
/// - Threads: the caller of [LoadRun] starts and joins one platform thread for each connection.
///   [RunCounters] may be used by any thread; watchers are called by the caller's thread only. A
///   [Reader] asks its queries on a thread of its own.
@NullMarked
package io.widerow.loadgen.run;

import org.jspecify.annotations.NullMarked;
