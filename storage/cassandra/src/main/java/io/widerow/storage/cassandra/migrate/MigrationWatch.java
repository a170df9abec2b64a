package io.widerow.storage.cassandra.migrate;

/// Is told how far a migration has come.
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
  /// @param events about how many events [#moved] will tell; 0 when it is not known
  void begin(String phase, long events);

  /// Events were counted, copied or compared.
  ///
  /// @param bytes of them: encoded, when they were copied; as they were hashed, when they were
  ///   compared
  void moved(long events, long bytes);

  /// A statement failed, and is repeated.
  void trouble(String why);
}
