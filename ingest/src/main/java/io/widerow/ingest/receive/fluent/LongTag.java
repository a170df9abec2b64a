package io.widerow.ingest.receive.fluent;

import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.KubernetesLog;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The type of events whose tag is no type. Of a tag that ends with the name of a container's log
/// in Kubernetes it is the container, of another long one its beginning and a digest. Bytes that
/// are not UTF-8 are escaped, see [EscapedText].
///
/// ```
///   kube.var.log.containers.shop-7d4b_prod_cart-0123...ef.log     type cart, tag
///   a.very.long.name...                                           see FittedEvent#type, tag
/// ```
///
/// - Threads: any; it never changes.
///
/// @param type the type of the events
/// @param whole the tag, for an attribute; empty when the type is all of it
@SuppressWarnings("ArrayRecordComponent") // never compared
record LongTag(byte[] type, byte[] whole) {
  private static final byte[] NONE = {};

  /// The longest text that is looked at for the name of a log.
  private static final int NAME_BYTES_MAX = 1 << 10;

  /// The replacement of a tag; null when the tag is a type itself.
  static @Nullable LongTag of(byte[] source, int offset, int length) {
    EscapedText escaped =
        EscapedText.of(Rejection.TYPE_INVALID, source, offset, offset + length, false);
    if (escaped == null && length <= EventLayout.TYPE_BYTES_MAX) {
      return null;
    }
    byte[] tag =
        escaped == null
            ? Arrays.copyOfRange(source, offset, offset + length)
            : Arrays.copyOf(escaped.bytes(), escaped.length());
    return tag.length <= EventLayout.TYPE_BYTES_MAX ? new LongTag(tag, NONE) : ofLong(tag);
  }

  private static LongTag ofLong(byte[] tag) {
    String text = tag.length > NAME_BYTES_MAX ? "" : new String(tag, StandardCharsets.UTF_8);
    KubernetesLog log = KubernetesLog.of(text);
    byte[] type = log == null ? tag : log.container().getBytes(StandardCharsets.UTF_8);
    return new LongTag(FittedEvent.type(type), tag);
  }
}
