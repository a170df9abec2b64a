package io.widerow.storage;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.segment.PieceReader;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Architecture rules of the storage module that neither the compiler nor Maven can check.
class ArchitectureTest {
  private static final Set<String> THREAD_STARTERS =
      Set.of("start", "ofVirtual", "ofPlatform", "startVirtualThread");

  /// The classes that touch files themselves; all others go through [Disk].
  private static final String FILE_CLASSES =
      "io\\.widerow\\.storage\\."
          + "((disk\\.(RealDisk|DirectoryLock|OpenFiles|ReadFile|ResidentPages|WrittenFile))"
          + "|FileLimit|PemFiles|live\\.SystemClock|journal\\.Chronicle).*";

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption((Location location) -> !location.contains("/test-classes/"))
          .importPackages("io.widerow");

  @Test
  void vocabularyDoesNoInputOrOutput() {
    noClasses()
        .that()
        .resideInAPackage("io.widerow.event")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.io",
            "java.net..",
            "java.nio.file..",
            "java.nio.channels..",
            "io.widerow.storage..")
        .check(MAIN);
  }

  @Test
  void storageStartsNoThreads() {
    noClasses()
        .that()
        .resideInAPackage("io.widerow..")
        .should()
        .callMethodWhere(startsThread())
        .check(MAIN);
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.util\\.(Timer|concurrent\\.(Executors|ForkJoinPool|ThreadPoolExecutor"
                + "|ScheduledThreadPoolExecutor))")
        .check(MAIN);
  }

  @Test
  void onlyNamedClassesTouchFiles() {
    noClasses()
        .that()
        .haveNameNotMatching(FILE_CLASSES)
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.nio\\.channels\\..*|java\\.nio\\.file\\.Files"
                + "|java\\.io\\.(File.*|RandomAccessFile)")
        .check(MAIN);
  }

  /// A page of a mapping that has no block on the disk, on a full one, ends in a fault of the
  /// processor instead of an error.
  @Test
  void nobodyReadsOrWritesThroughAMapping() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(
            "io.widerow.storage.disk.ResidentPages") // it never touches the mapped pages
        .should()
        .callMethodWhere(
            describe(
                "maps a file",
                call ->
                    call.getTargetOwner().isAssignableTo(FileChannel.class)
                        && call.getName().equals("map")))
        .check(MAIN);
    noClasses().should().dependOnClassesThat().resideInAnyPackage("net.openhft..").check(MAIN);
  }

  @Test
  void ownersOfNativeMemoryOrFilesAreCloseable() {
    fields()
        .that()
        .haveRawType(Arena.class)
        .or()
        .haveRawType(FileChannel.class)
        .or()
        .haveRawType(DiskFile.class)
        .and()
        .areNotDeclaredIn(PieceReader.class) // it borrows the file from its owner
        .should()
        .beDeclaredInClassesThat()
        .areAssignableTo(AutoCloseable.class)
        .check(MAIN);
  }

  @Test
  void storageKnowsNothingOfThoseAboveIt() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.widerow.query..",
            "io.widerow.ingest..",
            "io.widerow.loadgen..",
            "java.net..",
            "com.lmax..",
            "picocli..")
        .check(MAIN);
  }

  private static DescribedPredicate<JavaMethodCall> startsThread() {
    return describe(
        "starts a thread",
        call ->
            call.getTargetOwner().isAssignableTo(Thread.class)
                && THREAD_STARTERS.contains(call.getName()));
  }
}
