package io.widerow.ingest.decode;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The name that Kubernetes gives to the log of a container, `POD_NAMESPACE_NAME-ID.log`, where
/// `ID` is 64 hex digits.
///
/// @param pod with what stands before the name, such as the beginning of a tag
public record KubernetesLog(String pod, String namespace, String container, String containerId) {
  private static final Pattern NAME = Pattern.compile("([^_]+)_([^_]+)_(.+)-([0-9a-f]{64})\\.log");

  /// Reads a name; null when it is another one.
  public static @Nullable KubernetesLog of(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches()
        ? new KubernetesLog(parts.group(1), parts.group(2), parts.group(3), parts.group(4))
        : null;
  }
}
