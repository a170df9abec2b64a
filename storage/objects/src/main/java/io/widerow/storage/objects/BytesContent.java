package io.widerow.storage.objects;

import java.io.ByteArrayInputStream;
import java.io.InputStream;

/// Bytes in memory as the content of an object.
@SuppressWarnings("ArrayRecordComponent") // it is compared with no other
record BytesContent(byte[] all) implements ObjectStore.Content {
  @Override
  public long bytes() {
    return all.length;
  }

  @Override
  public InputStream open() {
    return new ByteArrayInputStream(all);
  }
}
