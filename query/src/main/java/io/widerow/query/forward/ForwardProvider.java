package io.widerow.query.forward;

import java.util.ServiceLoader;

/// Opens targets with the client of another module. `ServiceLoader` finds it when events are to be
/// sent; until then no class of that client is loaded.
public interface ForwardProvider {
  /// Does not connect yet.
  ///
  /// @throws IllegalArgumentException when a property of the address is refused
  ForwardTarget open(KafkaAddress address);

  /// The provider on the class path.
  ///
  /// @throws IllegalArgumentException when there is none
  static ForwardProvider found() {
    return ServiceLoader.load(ForwardProvider.class, ForwardProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "kafka: the jar of its module is not on the class path; add it"));
  }
}
