package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a file that an editor has begun with a byte order mark is read like one without it.
class MarkedFilesTest {
  @TempDir private Path directory;

  private Path file(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "\ufeff" + text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void configuration() throws IOException {
    assertEquals(
        Map.of("lanes", "2", "open-age", "10m"),
        ConfigSources.ofFile(file("lanes=2\r\nopen-age=10m\r\n")));
  }

  @Test
  void tokens() throws IOException {
    String ann = Tokens.line("ann", "secret-of-ann-0123456789abcdef", "query");
    String bob = Tokens.line("bob", "secret-of-bob-0123456789abcdef", "admin");
    Tokens marked = Tokens.read(file(ann + "\r\n" + bob + "\r\n"));
    assertEquals(List.of("ann", "bob"), marked.all().stream().map(Tokens.Token::name).toList());
  }
}
