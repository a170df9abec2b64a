package io.widerow.cql;

/// Why a request is not answered: an error of the protocol with its number and one sentence.
public final class CqlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Code code;

  /// The errors of the native protocol that this server has.
  public enum Code {
    /// A fault of ours.
    SERVER(0x0000),
    /// The bytes are no request, or not one that may come now.
    PROTOCOL(0x000a),
    BAD_CREDENTIALS(0x0100),
    /// There is no room for the request now; it may be sent again.
    OVERLOADED(0x1001),
    SYNTAX(0x2000),
    UNAUTHORIZED(0x2100),
    /// The statement is understood and cannot be done.
    INVALID(0x2200);

    public final int number;

    Code(int number) {
      this.number = number;
    }
  }

  public CqlException(Code code, String sentence) {
    super(sentence);
    this.code = code;
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

  /// The sentence that clients are told.
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
