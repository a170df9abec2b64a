package io.widerow.storage.cassandra.migrate;

/// Receives the progress of a migration.
///
/// - Threads: any, several at once.
public interface MigrationWatch {
  /// Reports nothing.
  MigrationWatch NONE =
      new MigrationWatch() {
        @Override
        public void begin(String phase, long events) {}

        @Override
        public void moved(long events, long bytes) {}

        @Override
        public void trouble(String why) {}
      };

  /// A phase begins.
  ///
  /// @param phase a word or two, such as `copying`
  /// @param events the estimated number of events of [#moved]; 0 when it is unknown
  void begin(String phase, long events);

  /// Events were counted, copied or compared.
  ///
  /// @param bytes of them: encoded, when they were copied; as they were hashed, when they were
  ///   compared
  void moved(long events, long bytes);

  /// A statement failed, and is repeated.
  void trouble(String why);
}
