import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;

/// An application that logs with Logback and loki4j. Its arguments are the configuration and the
/// number of lines. It ends when loki4j says that all are sent.
class Loki4jSender {
  public static void main(String[] arguments) throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        new ByteArrayInputStream(arguments[0].getBytes(StandardCharsets.UTF_8)));
    Logger logger = context.getLogger("shop.Orders");
    int lines = Integer.parseInt(arguments[1]);
    for (int i = 0; i < lines; i++) {
      if (i % 2 == 0) {
        logger.info("order {} of \"ü\"\n\tend", i);
      } else {
        logger.warn("order {} \\ {}", i, "💥");
      }
    }
    context.stop();
    context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() > 1)
        .forEach(System.out::println);
  }
}
