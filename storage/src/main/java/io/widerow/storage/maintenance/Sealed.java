package io.widerow.storage.maintenance;

import io.widerow.storage.live.LiveSegment;
import java.util.List;

/// Rows, and the segments written from them that are not in the manifest yet.
public record Sealed(SealJob job, List<LiveSegment> segments) {}
