package io.widerow.storage;

/// What an acknowledgement guarantees, weakest first. Every reply and every benchmark names it.
public enum Durability {
  /// In memory: lost when the process dies.
  MEMORY,
  /// Handed to the kernel: survives `kill -9`. A power cut may lose the last second or two, after
  /// which a commit forces the data to disk.
  OS,
  /// Forced to disk: survives a power cut.
  DISK,
  /// Applied to a quorum of a cluster's replicas and readable from every daemon: survives the loss
  /// of this machine and of a minority of the replicas. Only a store on a cluster has it.
  QUORUM
}
