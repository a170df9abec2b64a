package io.widerow.cql.system;

import java.util.UUID;

/// The properties of the server, for drivers.
///
/// @param hostId the same after each start
/// @param port where this protocol is spoken
/// @param version of the protocol's release that it speaks like, such as `5.0.9`
public record ServerIdentity(UUID hostId, int port, String version) {
  public static final String CLUSTER = "widerow";

  /// The version of the language.
  public static final String CQL_VERSION = "3.4.7";
}
