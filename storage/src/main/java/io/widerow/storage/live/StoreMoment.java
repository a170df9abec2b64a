package io.widerow.storage.live;

import io.widerow.storage.manifest.ManifestEdit;

/// A moment of a store that is written to.
///
/// @param manifest its complete state
/// @param segments the segments that the manifest lists, with a lease: their files stay until the
///   caller releases them
public record StoreMoment(ManifestEdit manifest, SegmentSet segments) {}
