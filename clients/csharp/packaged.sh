# Makes a library, and compiles and runs a program with it alone: packaged.sh FOLDER.
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
cd "$1"
mcs -warnaserror -r:Coopsim.dll -out:user.exe Typed08.cs User.cs
mono user.exe
