/// A bucket of an S3 server as an object store. The only package that uses the library of S3, which
/// is loaded when a place is a bucket.
@NullMarked
package io.widerow.storage.objects.s3;

import org.jspecify.annotations.NullMarked;
