package io.widerow.ingest.receive.elastic;

import java.nio.charset.StandardCharsets;

/// The actions of a bulk. The first two are the same here: an event is stored, and one that is
/// there already under its id is replaced.
@SuppressWarnings("ImmutableEnumChecker") // the bytes are never changed
enum BulkAction {
  INDEX("index", true),
  CREATE("create", true),
  UPDATE("update", true),
  DELETE("delete", false);

  static final BulkAction[] ALL = values();

  final String shown;
  final byte[] name;
  final boolean hasSource;

  BulkAction(String shown, boolean hasSource) {
    this.shown = shown;
    this.name = shown.getBytes(StandardCharsets.US_ASCII);
    this.hasSource = hasSource;
  }

  boolean stores() {
    return this == INDEX || this == CREATE;
  }
}
