package io.widerow.cql.type;

/// The value of no bytes, which most types have in addition to their other values. It sorts before
/// them, and functions take it for null. Texts and blobs without bytes are values as all others.
public enum Empty {
  VALUE;

  @Override
  public String toString() {
    return "";
  }
}
