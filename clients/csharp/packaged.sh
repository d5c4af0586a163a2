# Makes the library, and compiles and runs a program with it alone: with Mono, and as a package of NuGet where there is a .NET SDK: packaged.sh FOLDER.
set -e
mcs -warnaserror -target:library -out:"$1/Coopsim.dll" *.cs
cp programs/Typed08.cs "$1"
cat > "$1/User.cs" << 'END'
using System.Globalization;
using System.Threading;
static class User {
    static void Main() {
        Thread.CurrentThread.CurrentCulture = CultureInfo.InvariantCulture;
        using (var sim = new Coopsim.Client()) Typed08.Run(sim);
    }
}
END
if command -v dotnet > /dev/null; then
    sdk=$(dotnet --version)
    dotnet pack Coopsim.csproj -c Release -o "$1/packages" -p:BaseIntermediateOutputPath="$1/obj/" -p:BaseOutputPath="$1/bin/" >&2
    mkdir "$1/user"
    cp "$1/Typed08.cs" "$1/User.cs" "$1/user"
    cd "$1/user"
    cat > user.csproj << END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>${FRAMEWORK:-net${sdk%%.*}.0}</TargetFramework>
    <OutputType>Exe</OutputType>
    <InvariantGlobalization>true</InvariantGlobalization>
    <RestoreAdditionalProjectSources>$1/packages</RestoreAdditionalProjectSources>
    <RestorePackagesPath>$1/restored</RestorePackagesPath>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="Coopsim.Client" Version="0.2.0" /></ItemGroup>
</Project>
END
    dotnet build -o "$1/built" >&2
    exec dotnet "$1/built/user.dll"
fi
echo "not packed as Coopsim.Client, for want of a .NET SDK" >&2
cd "$1"
mcs -warnaserror -r:Coopsim.dll -out:user.exe Typed08.cs User.cs
mono user.exe
