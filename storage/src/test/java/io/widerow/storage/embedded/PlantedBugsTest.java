package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.ChronicleFile;
import io.widerow.storage.journal.ChronicleJournal;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.FreshFile;
import io.widerow.storage.journal.GroupNotes;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.NativeFile;
import io.widerow.storage.journal.NotesFile;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.GuardedClock;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.maintenance.MergeWriter;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.recovery.LaneCheck;
import io.widerow.storage.recovery.Replay;
import io.widerow.storage.recovery.RowSink;
import io.widerow.storage.segment.PieceReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentWriter;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The durability rules of the store and its journal, see [PlantedRules].
class PlantedBugsTest extends PlantedRules {
  PlantedBugsTest() {
    super("storage", PlantHooks.class, StoreCut.HOOKS, List.of(SuiteCheck.values()), plants());
  }

  private static List<Planted> plants() {
    return Stream.of(
            forces(),
            orders(),
            manifestLoss(),
            locks(),
            checksums(),
            recovery(),
            witness(),
            marks(),
            snapshots(),
            RetentionPlants.all(),
            RollupPlants.all(),
            LayoutPlants.all(),
            SpoolPlants.all())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Planted> forces() {
    return List.of(
        planted(
            "a group is forced before it is acknowledged",
            SuiteCheck.CRASH,
            Cut.out(EmbeddedLane.class, "force", Journal.class, "force")),
        planted(
            "a group is forced before it is acknowledged, in the real journal",
            SuiteCheck.STORE_CUT,
            Cut.out(EmbeddedLane.class, "force", Journal.class, "force")),
        planted(
            "a force of the journal reaches its file",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(ChronicleFile.class, "force", NativeFile.class, "force")),
        planted(
            "a full journal file is forced before the next one is named",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(ChronicleJournal.class, "roll", ChronicleJournal.class, "force")),
        planted(
            "a new journal file's entry is forced",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(FreshFile.class, "finish", Disk.class, "forceDirectory").only(0)),
        planted(
            "a new journal file's directory is forced",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(FreshFile.class, "finish", Disk.class, "forceDirectory").only(1)),
        planted(
            "a new journal file has its size before it has its name",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(FreshFile.class, "begin", NativeFile.class, "resize")),
        planted(
            "the rename of a spare journal file is forced",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(ChronicleFile.class, "rename", Disk.class, "forceDirectory")),
        planted(
            "a segment is forced before the manifest lists it",
            SuiteCheck.CRASH,
            Cut.out(SegmentWriter.class, "finish", DiskFile.class, "force")),
        planted(
            "the rename of a sealed segment is forced",
            SuiteCheck.CRASH,
            Cut.out(Sealer.class, "write", SegmentFiles.class, "forceDirectory")),
        planted(
            "the rename of a merged segment is forced",
            SuiteCheck.CRASH,
            Cut.out(MergeWriter.class, "commit", SegmentFiles.class, "forceDirectory")),
        planted(
            "an edit of the manifest is forced",
            SuiteCheck.CRASH,
            Cut.out(Manifest.class, "append", DiskFile.class, "force")),
        planted(
            "the rename of a new manifest is forced",
            SuiteCheck.CRASH,
            Cut.out(Manifest.class, "writeAnew", Disk.class, "forceDirectory")),
        planted(
            "notes are forced before they replace others",
            SuiteCheck.CRASH,
            Cut.to(NotesFile.class, "write", Disk.class, "replace", "replaceUnforced")),
        planted(
            "the rename of notes is forced",
            SuiteCheck.CRASH,
            Cut.out(NotesFiles.class, "write", Disk.class, "forceDirectory")),
        planted(
            "FORMAT is forced before it has its name",
            SuiteCheck.CRASH,
            Cut.to(StoreFormat.class, "write", Disk.class, "replace", "replaceUnforced")),
        planted(
            "the entry of a new store is forced",
            SuiteCheck.CRASH,
            Cut.out(LockedDirectory.class, "create", Disk.class, "forceDirectory")));
  }

  private static List<Planted> orders() {
    return List.of(
        planted(
            "the journal is trimmed after the manifest's edit",
            SuiteCheck.CRASH,
            Cut.to(Sealer.class, "seal", Sealer.class, "commit", "trimFirst")),
        planted(
            "the journal is trimmed no further than was sealed",
            SuiteCheck.CRASH,
            Cut.to(JournalPin.class, "trimNow", Journal.class, "trim", "trimAhead")),
        planted(
            "recovery seals what it replays",
            SuiteCheck.CRASH,
            Cut.out(Replay.class, "sealRows", RowSink.class, "seal")),
        planted(
            "recovery seals before it deletes the journals",
            SuiteCheck.CRASH,
            Cut.to(StoreOpener.class, "open", JournalRecovery.class, "replay", "replayAndDelete")),
        planted(
            "recovery seals before it deletes the journals, the real ones",
            SuiteCheck.STORE_CUT,
            Cut.to(StoreOpener.class, "open", JournalRecovery.class, "replay", "replayAndDelete")),
        planted(
            "notes are journaled with their group",
            SuiteCheck.CRASH,
            Cut.out(GroupNotes.class, "addTo", FrameEncoder.class, "addNote")),
        planted(
            "notes are sealed before their journal goes",
            SuiteCheck.CRASH,
            Cut.out(Sealer.class, "commit", NotesFiles.class, "append")),
        planted(
            "after a failed force nothing more is written",
            SuiteCheck.FAULT,
            Cut.to(EmbeddedLane.class, "force", StoreContents.class, "fail", "tell")),
        planted(
            "a segment is read back before its journal goes",
            SuiteCheck.MISWRITTEN,
            Cut.out(SegmentFiles.class, "adopt", Segment.class, "verify")),
        planted(
            "what a crash left is deleted",
            SuiteCheck.CRASH,
            Cut.out(OpenedFiles.class, "tidy", SegmentFiles.class, "deleteOrphans")));
  }

  private static List<Planted> manifestLoss() {
    return List.of(
        planted(
            "nothing unlisted is deleted while something listed is missing",
            SuiteCheck.MANIFEST_LOSS,
            Cut.to(OpenedFiles.class, "tidy", SegmentInventory.class, "isWhole", "always")),
        planted(
            "a merged segment takes the place of lost sources",
            SuiteCheck.MANIFEST_LOSS,
            Cut.out(SegmentInventory.class, "open", SegmentInventory.class, "healMerges")),
        planted(
            "a sealed segment takes the place of a trimmed journal",
            SuiteCheck.MANIFEST_LOSS,
            Cut.to(JournalRecovery.class, "checked", Predicate.class, "test", "never")),
        planted(
            "no new segment gets the name of a file that is kept",
            SuiteCheck.MANIFEST_LOSS,
            Cut.out(SegmentInventory.class, "open", SegmentInventory.class, "raiseSegmentId")));
  }

  private static List<Planted> locks() {
    return List.of(
        planted(
            "nothing is acknowledged without the lock",
            SuiteCheck.LOCK,
            Cut.out(EmbeddedLane.class, "commit", StoreContents.class, "requireLock")),
        planted(
            "no edit of the manifest is written without the lock",
            SuiteCheck.LOCK,
            Cut.to(StoreContents.class, "commit", StoreContents.class, "holdsLock", "always")),
        planted(
            "no segment gets its name without the lock",
            SuiteCheck.LOCK,
            Cut.to(SegmentFiles.class, "adopt", BooleanSupplier.class, "getAsBoolean", "always")));
  }

  private static List<Planted> checksums() {
    return List.of(
        planted(
            "a journal frame's body is checked",
            SuiteCheck.FLIPS,
            Cut.to(FrameDecoder.class, "check", JournalFrame.class, "bodyChecksum", "bodyCrc")),
        planted(
            "a journal frame's header is checked",
            SuiteCheck.FLIPS,
            Cut.to(FrameDecoder.class, "check", JournalFrame.class, "headerChecksum", "headerCrc")),
        planted(
            "a journal frame's checksum is salted",
            SuiteCheck.PLACES,
            Cut.out(JournalFrame.Checksum.class, "of", java.util.zip.CRC32C.class, "update")
                .only(0)),
        planted(
            "a segment's blocks are checked",
            SuiteCheck.SEGMENT,
            Cut.to(PieceReader.class, "read", SegmentChecksum.class, "of", "pieceCrc")),
        planted(
            "a segment's header is checked",
            SuiteCheck.SEGMENT,
            Cut.to(Segment.class, "readHeader", Segment.class, "crc", "pieceCrc")),
        planted(
            "a segment's index is checked",
            SuiteCheck.SEGMENT,
            Cut.to(Segment.class, "readFooter", Segment.class, "crc", "footerCrc").only(0),
            Cut.to(Segment.class, "readFooter", Segment.class, "crc", "indexCrc").only(0)),
        planted(
            "a segment's checksums are salted",
            SuiteCheck.PLACES,
            Cut.out(SegmentChecksum.class, "of", java.util.zip.CRC32C.class, "update").only(0)),
        planted(
            "an edit of the manifest is checked",
            SuiteCheck.FLIPS,
            Cut.to(Manifest.class, "isEdit", Manifest.class, "checksum", "editCrc")),
        planted(
            "an edit's checksum is salted",
            SuiteCheck.PLACES,
            Cut.out(Manifest.class, "checksum", java.util.zip.CRC32C.class, "update").only(0)),
        planted(
            "notes are checked",
            SuiteCheck.FLIPS,
            Cut.to(NotesFile.class, "parse", NotesFile.class, "checksum", "notesCrc")));
  }

  private static List<Planted> recovery() {
    return List.of(
        planted(
            "damage to what was promised is no torn tail",
            SuiteCheck.FLIPS,
            Cut.to(LaneCheck.class, "frame", JournalFrame.class, "durableLsn", "nothingDurable")),
        planted(
            "a torn tail is no damage",
            SuiteCheck.CRASH,
            Cut.to(LaneCheck.class, "frame", JournalFrame.class, "durableLsn", "allDurable")),
        planted(
            "LSNs follow each other",
            SuiteCheck.FLIPS,
            Cut.out(LaneCheck.class, "frame", List.class, "add")),
        planted(
            "a journal file tells what was durable before it",
            SuiteCheck.REMOVED,
            Cut.to(LaneCheck.class, "file", Math.class, "max", "first")),
        planted(
            "a lane has a journal",
            SuiteCheck.REMOVED,
            Cut.out(JournalRecovery.class, "check", LaneCheck.class, "expectFile")),
        planted(
            "a group counts as a whole",
            SuiteCheck.GROUP,
            Cut.to(Replay.class, "frame", JournalFrame.class, "flags", "wholeGroup")));
  }

  private static List<Planted> witness() {
    return List.of(
        planted(
            "the witness is believed",
            SuiteCheck.ENDS,
            Cut.out(JournalRecovery.class, "check", LaneCheck.class, "witness")),
        planted(
            "the witness tells of nothing that is not forced",
            SuiteCheck.CRASH,
            Cut.to(
                EmbeddedStore.class, "writeWitness", EmbeddedLane.class, "forcedLsn", "committed")),
        planted(
            "the witness is written",
            SuiteCheck.ENDS,
            Cut.out(EmbeddedStore.class, "writeWitness", WitnessFile.class, "write")),
        planted(
            "the witness is forced",
            SuiteCheck.WITNESS,
            Cut.out(WitnessFile.class, "write", DiskFile.class, "force")),
        planted(
            "a new witness is forced before it has its name",
            SuiteCheck.JOURNAL_CUT,
            Cut.out(Witness.class, "fill", DiskFile.class, "force")),
        planted(
            "the witness is checked",
            SuiteCheck.FLIPS,
            Cut.to(Witness.class, "parse", Witness.class, "checksum", "witnessCrc")),
        planted(
            "the witness's checksum is salted",
            SuiteCheck.PLACES,
            Cut.out(Witness.class, "checksum", java.util.zip.CRC32C.class, "update").only(0)),
        planted(
            "a journal file is as long as the witness saw it",
            SuiteCheck.ENDS,
            Cut.to(
                LaneCheck.class, "file", Witness.Lane.class, "reservedBytes", "nothingReserved")));
  }

  private static List<Planted> marks() {
    return List.of(
        planted(
            "counters continue after those of the journal",
            SuiteCheck.CRASH,
            Cut.out(Replay.class, "frame", StoreContents.class, "usedCounters")),
        planted(
            "counters continue after those of the manifest",
            SuiteCheck.CRASH,
            Cut.to(StoreContents.class, "<init>", Manifest.class, "counterLimit", "noMark")),
        planted(
            "times continue after those of the journal",
            SuiteCheck.CLOCK,
            Cut.out(Replay.class, "frame", StoreContents.class, "usedClock")),
        planted(
            "a frame has the last time that was given",
            SuiteCheck.CLOCK,
            Cut.to(EmbeddedLane.class, "writeFrame", GuardedClock.class, "durableNanos", "noMark")),
        planted(
            "the manifest has the last time that was given",
            SuiteCheck.CLOCK,
            Cut.to(StoreContents.class, "commit", GuardedClock.class, "durableNanos", "noMark")));
  }

  private static List<Planted> snapshots() {
    return List.of(
        planted(
            "nothing is trimmed while a snapshot is made",
            SuiteCheck.SNAPSHOT,
            Cut.out(JournalPin.class, "holding", JournalPin.class, "hold")),
        planted(
            "a snapshot is forced before it has its name",
            SuiteCheck.SNAPSHOT,
            Cut.out(StoreSnapshot.class, "make", Disk.class, "forceDirectory").only(1)),
        planted(
            "a snapshot's name is forced",
            SuiteCheck.SNAPSHOT,
            Cut.out(StoreSnapshot.class, "make", Disk.class, "forceDirectory").only(2)));
  }
}
