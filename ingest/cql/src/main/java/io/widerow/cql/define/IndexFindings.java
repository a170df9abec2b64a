package io.widerow.cql.define;

import java.util.List;

/// What a comparison of indexes with the rows of their tables has found.
///
/// @param found the findings, a sentence a row; at most 100
/// @param bad rows whose entries are wrong
/// @param entries that were read
public record IndexFindings(List<String> found, long bad, long entries) {
  public IndexFindings {
    found = List.copyOf(found);
  }
}
