package io.widerow.storage.live;

import io.widerow.storage.manifest.ManifestEdit;

/// A consistent moment of a store while it is written.
///
/// @param manifest its complete state
/// @param segments the segments that the manifest lists, with a lease: their files stay until the
///   caller releases them
public record StoreMoment(ManifestEdit manifest, SegmentSet segments) {}
