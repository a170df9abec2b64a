package io.widerow.query.parse;

import io.widerow.event.AttributeName;

/// Names of fields that several formats have, one object each.
final class FieldNames {
  static final AttributeName AGENT = AttributeName.of("agent");
  static final AttributeName APP = AttributeName.of("app");
  static final AttributeName BYTES = AttributeName.of("bytes");
  static final AttributeName CLIENT = AttributeName.of("client");
  static final AttributeName CONNECTION = AttributeName.of("connection");
  static final AttributeName FORWARDED_FOR = AttributeName.of("forwarded_for");
  static final AttributeName HOST = AttributeName.of("host");
  static final AttributeName IDENT = AttributeName.of("ident");
  static final AttributeName LEVEL = AttributeName.of("level");
  static final AttributeName MESSAGE = AttributeName.of("message");
  static final AttributeName METHOD = AttributeName.of("method");
  static final AttributeName PATH = AttributeName.of("path");
  static final AttributeName PID = AttributeName.of("pid");
  static final AttributeName PORT = AttributeName.of("port");
  static final AttributeName PROTOCOL = AttributeName.of("protocol");
  static final AttributeName REFERRER = AttributeName.of("referrer");
  static final AttributeName REQUEST = AttributeName.of("request");
  static final AttributeName STATUS = AttributeName.of("status");
  static final AttributeName TID = AttributeName.of("tid");
  static final AttributeName TIME = AttributeName.of("time");
  static final AttributeName USER = AttributeName.of("user");
  static final AttributeName VHOST = AttributeName.of("vhost");

  private FieldNames() {}
}
