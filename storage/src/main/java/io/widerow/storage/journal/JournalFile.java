package io.widerow.storage.journal;

import java.nio.file.Path;

/// A journal file that a replay finds.
///
/// @param number of the file; greater than that of every earlier file of its lane
/// @param lsnFirst LSN of its first frame; every earlier group was durable when the file was
///   created
/// @param path the file, for messages
/// @param bytes its size when it was replayed; 0 in a list of files
public record JournalFile(int lane, long number, long lsnFirst, Path path, long bytes) {}
