package io.widerow.cql.type;

/// The value of no bytes, which most types have beside all others. It comes before them, and
/// functions take it for null. Texts and blobs without bytes are values as all others.
public enum Empty {
  VALUE;

  @Override
  public String toString() {
    return "";
  }
}
