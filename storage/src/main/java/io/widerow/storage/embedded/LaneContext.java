package io.widerow.storage.embedded;

import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.RowSupply;
import io.widerow.storage.maintenance.Sealer;

/// The parts of a store that its lanes share.
///
/// @param notes the notes of all lanes
record LaneContext(
    StoreContents contents,
    RowSupply supply,
    Sealer sealer,
    DiskRoom room,
    StoreClock clock,
    NotesFiles notes) {}
