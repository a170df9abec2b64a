package io.widerow.storage.maintenance;

import io.widerow.storage.live.LiveSegment;
import java.util.List;

/// Rows, and the segments that were written of them and are not in the manifest yet.
public record Sealed(SealJob job, List<LiveSegment> segments) {}
