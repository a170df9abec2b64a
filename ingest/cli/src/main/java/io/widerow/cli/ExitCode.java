package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.storage.StorageException;
import java.io.IOException;

/// The exit codes of all Widerow programs. The numbers follow `sysexits.h` where it has one.
public enum ExitCode {
  OK(0),
  /// A check found damage, a repair left some, events of an import were refused, the doctor found
  /// something, or a daemon is not healthy.
  DAMAGE_FOUND(1),
  /// A rule fires.
  FIRING(2),
  /// Nothing can be said of a rule.
  UNKNOWN(3),
  /// An option or its value is invalid.
  USAGE(64),
  /// Bytes on disk are damaged.
  CORRUPT(65),
  /// There is no such store or file, or this version cannot read it.
  NO_STORE(66),
  /// The daemon or the cluster cannot be reached, or answered with an error.
  UNAVAILABLE(69),
  /// A bug of ours.
  BUG(70),
  /// The system lets the process have too few files open.
  TOO_FEW_FILES(71),
  /// The disk is full.
  DISK_FULL(73),
  /// The operating system refused a read or a write.
  INPUT_OUTPUT(74),
  /// Another process uses the store, or it is open read-only.
  IN_USE(75),
  /// The query took more than its budget.
  OVER_BUDGET(76),
  /// The query continues from a position past retention.
  EXPIRED(77),
  /// Stopped by a signal or by its deadline.
  STOPPED(130);

  public final int number;

  ExitCode(int number) {
    this.number = number;
  }

  /// The code of a failure that ends a command; [#BUG] for one that no command expects.
  static ExitCode of(Throwable failure) {
    return switch (failure) {
      case StorageException failed -> of(failed);
      case QueryException failed -> of(failed);
      case IOException _ -> INPUT_OUTPUT;
      default -> BUG;
    };
  }

  public static ExitCode of(StorageException failure) {
    return switch (failure) {
      case StorageException.Corrupt _ -> CORRUPT;
      case StorageException.AcknowledgedDataDamaged _ -> CORRUPT;
      case StorageException.Incompatible _ -> NO_STORE;
      case StorageException.Locked _ -> IN_USE;
      case StorageException.DiskFull _ -> DISK_FULL;
      case StorageException.Failed _ -> INPUT_OUTPUT;
      case StorageException.ReadOnly _ -> IN_USE;
      case StorageException.ClockWrong _ -> UNAVAILABLE;
      case StorageException.Unreachable _ -> UNAVAILABLE;
    };
  }

  public static ExitCode of(QueryException failure) {
    return switch (failure) {
      case QueryException.Refused _ -> USAGE;
      case QueryException.Expired _ -> EXPIRED;
      case QueryException.OverBudget _ -> OVER_BUDGET;
      case QueryException.Stopped _ -> STOPPED;
      case QueryException.Remote _ -> UNAVAILABLE;
    };
  }
}
