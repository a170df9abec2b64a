package io.widerow.ingest.kafka;

import io.widerow.query.forward.ForwardProvider;
import io.widerow.query.forward.ForwardTarget;
import io.widerow.query.forward.KafkaAddress;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The provider of targets that `META-INF/services` names. It loads no class of the daemon.
public final class KafkaTargets implements ForwardProvider {
  /// Held, so that the level stays: what goes wrong is in the errors.
  private static final Logger CLIENT_LOG = Logger.getLogger("org.apache.kafka");

  @Override
  public ForwardTarget open(KafkaAddress address) {
    if (CLIENT_LOG.getLevel() == null) {
      CLIENT_LOG.setLevel(Level.OFF);
    }
    var client = new ClientProperties(address.brokers(), address.access(), "");
    client.check();
    return new KafkaTarget(address, client);
  }
}
