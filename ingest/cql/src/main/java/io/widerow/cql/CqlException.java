package io.widerow.cql;

import java.util.List;

/// Why a request is not answered: an error of the protocol with its number and one sentence.
public final class CqlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Code code;
  private final String keyspace; // of what exists already, or of the function that failed
  private final String name; // of the table, or of the function
  private final String[] arguments; // types of those of the function

  /// The errors of the native protocol that this server has.
  public enum Code {
    /// A fault of ours.
    SERVER(0x0000),
    /// The bytes are no request, or not one that may come now.
    PROTOCOL(0x000a),
    BAD_CREDENTIALS(0x0100),
    /// There is no room for the request now; it may be sent again.
    OVERLOADED(0x1001),
    /// A function cannot be computed of these arguments.
    FUNCTION(0x1400),
    SYNTAX(0x2000),
    UNAUTHORIZED(0x2100),
    /// The statement is understood and cannot be done.
    INVALID(0x2200),
    /// An option that a keyspace or a table cannot have.
    CONFIGURATION(0x2300),
    ALREADY_EXISTS(0x2400);

    public final int number;

    Code(int number) {
      this.number = number;
    }
  }

  public CqlException(Code code, String sentence) {
    this(code, sentence, "", "", List.of());
  }

  private CqlException(
      Code code, String sentence, String keyspace, String name, List<String> arguments) {
    super(sentence);
    this.code = code;
    this.keyspace = keyspace;
    this.name = name;
    this.arguments = arguments.toArray(String[]::new);
  }

  /// @param table empty for a keyspace
  public static CqlException alreadyExists(String keyspace, String table) {
    String sentence =
        table.isEmpty()
            ? "Cannot add existing keyspace \"%s\"".formatted(keyspace)
            : "Cannot add already existing table \"%s\" to keyspace \"%s\""
                .formatted(table, keyspace);
    return new CqlException(Code.ALREADY_EXISTS, sentence, keyspace, table, List.of());
  }

  /// A function that cannot be computed.
  ///
  /// @param arguments their types
  public static CqlException function(String name, List<String> arguments, String why) {
    String sentence =
        "execution of 'system.%s[%s]' failed: %s"
            .formatted(name, String.join(", ", arguments), why);
    return new CqlException(Code.FUNCTION, sentence, "system", name, arguments);
  }

  /// An operation of arithmetic that cannot be computed.
  ///
  /// @param name of its function
  /// @param arguments the types of both sides
  public static CqlException operation(
      String name, String sign, List<String> arguments, String why) {
    String sentence =
        "the operation '%s %s %s' failed: %s"
            .formatted(arguments.getFirst(), sign, arguments.getLast(), why);
    return new CqlException(Code.FUNCTION, sentence, "system", name, arguments);
  }

  /// The keyspace of what exists already, or of the function that failed; else empty.
  public String keyspace() {
    return keyspace;
  }

  /// The table that exists already, or the function that failed; else empty.
  public String name() {
    return name;
  }

  /// The types of the arguments of the function that failed.
  public List<String> arguments() {
    return List.of(arguments);
  }

  public static CqlException invalid(String sentence) {
    return new CqlException(Code.INVALID, sentence);
  }

  public static CqlException protocol(String sentence) {
    return new CqlException(Code.PROTOCOL, sentence);
  }

  public Code code() {
    return code;
  }

  /// The error sentence for clients.
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
