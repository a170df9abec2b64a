package io.widerow.storage.live;

import io.widerow.storage.manifest.ManifestEdit;

/// A moment of a store that is written to.
///
/// @param manifest all that it says
/// @param segments those that it lists, with a lease: their files stay until the caller releases
///   them
public record StoreMoment(ManifestEdit manifest, SegmentSet segments) {}
