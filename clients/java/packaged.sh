# Packs the library, deploys it into a repository of its own, and builds and runs a program that names it by its coordinates: packaged.sh FOLDER.
set -e
# what Maven has fetched already, linked: the package is resolved from the file alone, whatever another build keeps
cp -al "${MAVEN_REPOSITORY:-$HOME/.m2/repository}" "$1/fetched"
rm -rf "$1/fetched/coopsim"
folder="$1"
mvn -q -B -Dmaven.repo.local="$folder/fetched" -Dmaven.test.skip=true -Dbuild.folder="$folder/build" package >&2
mvn -q -B -Dmaven.repo.local="$folder/fetched" org.apache.maven.plugins:maven-deploy-plugin:3.1.3:deploy-file \
    -Dfile="$(echo "$folder"/build/coopsim-client-*.jar)" -DpomFile=pom.xml -Durl="file://$folder/repository" >&2
rm -rf "$folder/fetched/coopsim"
mkdir -p "$folder/user/src/main/java"
sed 's/^package examples;//; s/^final class/public final class/' src/main/java/examples/Typed08.java > "$folder/user/src/main/java/Typed08.java"
cat > "$folder/user/pom.xml" << END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>user</groupId>
  <artifactId>user</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository><id>own</id><url>file://$folder/repository</url></repository>
  </repositories>
  <dependencies>
    <dependency><groupId>coopsim</groupId><artifactId>coopsim-client</artifactId><version>0.2.0</version></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      <plugin>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>3.6.1</version>
        <executions>
          <execution>
            <phase>compile</phase>
            <goals><goal>copy-dependencies</goal></goals>
          </execution>
        </executions>
      </plugin>
    </plugins>
  </build>
</project>
END
cd "$folder/user"
mvn -q -B -Dmaven.repo.local="$folder/fetched" compile >&2
java -XX:+UseSerialGC -cp "target/classes:target/dependency/*" Typed08
