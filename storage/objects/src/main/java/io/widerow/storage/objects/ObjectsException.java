package io.widerow.storage.objects;

import java.io.Serial;

/// Failures of an object store, a closed family.
public abstract sealed class ObjectsException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private ObjectsException(String message, Throwable cause) {
    super(message, cause);
  }

  private ObjectsException(String message) {
    super(message);
  }

  /// No answer, or one that says that nothing can be done now. Trying again may help.
  public static final class Away extends ObjectsException {
    @Serial private static final long serialVersionUID = 1;

    public Away(String message, Throwable cause) {
      super(message, cause);
    }

    public Away(String message) {
      super(message);
    }
  }

  /// An object is missing, or is not the one that was put.
  public static final class Damaged extends ObjectsException {
    @Serial private static final long serialVersionUID = 1;

    /// @param object its name
    public Damaged(String object, String found) {
      super(object + ": " + found);
    }
  }

  /// Another store owns the place.
  public static final class OtherOwner extends ObjectsException {
    @Serial private static final long serialVersionUID = 1;

    public OtherOwner(String message) {
      super(message);
    }
  }

  /// What was asked for is not in the backup.
  public static final class NotThere extends ObjectsException {
    @Serial private static final long serialVersionUID = 1;

    public NotThere(String message) {
      super(message);
    }
  }
}
