package io.widerow.cql.store;

import java.util.List;

/// The widest partitions of a table.
///
/// @param partitions the ones with the most rows first; at equal numbers in the order of their keys
/// @param read how many rows were read to count them
public record Widest(List<WidePartition> partitions, long read) {
  public Widest {
    partitions = List.copyOf(partitions);
  }
}
