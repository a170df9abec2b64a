package io.widerow.ingest.lane;

import java.util.List;

/// Where a source continues in a partition after a start. The records of `[complete, until)` may be
/// stored in part: a batch with ids of senders commits in several lanes. So the first batch must be
/// exactly this range, and each lane leaves out what it has.
///
/// @param term that of the position; a source which goes back uses a greater one
/// @param complete everything before it is stored
/// @param until nothing from it on is stored
/// @param leaderEpoch of the last stored record; -1 when it is not known
/// @param gaps records that could not be read
/// @param owed refused offsets that are not in the dead-letter topic yet
public record SourcePosition(
    int term, long complete, long until, int leaderEpoch, List<SourceGap> gaps, List<Long> owed) {}
