package io.widerow.storage.objects.s3;

import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.S3Options;

/// Opens buckets.
public final class S3Provider implements ObjectPlace.Provider {
  @Override
  public ObjectStore open(ObjectPlace.Bucket bucket, S3Options options) {
    String place = "s3://%s/%s".formatted(bucket.name(), bucket.prefix());
    return new S3Objects(
        S3Access.client(options), bucket, new Attempts(place, S3Access.hintOf(options)));
  }
}
