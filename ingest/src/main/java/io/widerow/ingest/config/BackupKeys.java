package io.widerow.ingest.config;

import io.widerow.storage.objects.ObjectPlace;
import java.time.Duration;

/// How the store is backed up.
///
/// @param every interval of shipping frames of the journals
/// @param checkpoint interval of checkpoints
/// @param spoolBytes of journals that are kept while the place is away
public record BackupKeys(ObjectPlace place, Duration every, Duration checkpoint, long spoolBytes) {}
