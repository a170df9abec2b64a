package io.widerow.storage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;

/// The reason for a failed call of the operating system, in words. The message of a
/// [FileSystemException] is the name of the file, which the caller has written already.
public final class FailureReason {
  private FailureReason() {}

  /// The reason without the name of the file, such as `no such file or directory`.
  public static String of(IOException failure) {
    if (failure instanceof FileSystemException refused) {
      String reason = refused.getReason();
      return reason == null ? ofKind(refused) : reason;
    }
    String message = failure.getMessage();
    return switch (failure) {
      case EOFException _ -> "the file ends too early";
      case ClosedChannelException _ -> "the file is closed";
      default -> message == null ? failure.getClass().getSimpleName() : message;
    };
  }

  private static String ofKind(FileSystemException refused) {
    return switch (refused) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "the file exists already";
      case NotDirectoryException _ -> "not a directory";
      case DirectoryNotEmptyException _ -> "the directory is not empty";
      case FileSystemLoopException _ -> "a loop of symbolic links";
      case NotLinkException _ -> "not a symbolic link";
      default -> refused.getClass().getSimpleName();
    };
  }
}
