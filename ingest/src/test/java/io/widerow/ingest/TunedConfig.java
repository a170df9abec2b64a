package io.widerow.ingest;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.FixedLimits;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// Configurations with other [FixedLimits] than those of the process. A limit is named as a key
/// would be: `stall-seconds` is [FixedLimits#stallSeconds].
public final class TunedConfig {
  private TunedConfig() {}

  /// A configuration of keys and limits.
  public static DaemonConfig of(Map<String, String> texts) {
    Map<String, String> keys = new HashMap<>(texts);
    Map<String, String> limits = new HashMap<>(texts);
    keys.keySet().removeIf(TunedConfig::isLimit);
    limits.keySet().removeAll(keys.keySet());
    DaemonConfig config = DaemonConfig.of(keys);
    return config.withLimits(with(config.limits(), limits));
  }

  /// Whether a name is that of a limit.
  static boolean isLimit(String name) {
    return Arrays.stream(FixedLimits.class.getRecordComponents())
        .anyMatch(limit -> name(limit).equals(name));
  }

  private static String name(RecordComponent limit) {
    return limit.getName().replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  /// Limits of which some are others.
  static FixedLimits with(FixedLimits base, Map<String, String> others) {
    RecordComponent[] limits = FixedLimits.class.getRecordComponents();
    Object[] values = new Object[limits.length];
    Class<?>[] kinds = new Class<?>[limits.length];
    try {
      for (int i = 0; i < limits.length; i++) {
        kinds[i] = limits[i].getType();
        String text = others.get(name(limits[i]));
        values[i] =
            text == null
                ? limits[i].getAccessor().invoke(base)
                : kinds[i] == int.class ? (Object) Integer.valueOf(text) : Long.valueOf(text);
      }
      return FixedLimits.class.getConstructor(kinds).newInstance(values);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(String.valueOf(broken.getMessage()), broken);
    }
  }
}
