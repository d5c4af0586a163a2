using System;
using System.Globalization;
using System.Threading;
using Coopsim;

/// <summary>Runs one of the programs by its name.</summary>
static class Programs {
    static int Main(string[] words) {
        Thread.CurrentThread.CurrentCulture = CultureInfo.InvariantCulture; // a point in numbers
        if (words.Length == 1 && words[0] == "conformance") {
            Conformance.Answer();
            return 0;
        }
        try {
            using (var sim = new Client()) Named(words.Length == 1 ? words[0] : "")(sim);
            return 0;
        } catch (CoopsimException problem) {
            Console.Error.WriteLine(problem.Message);
            return 1;
        }
    }

    static Action<Client> Named(string name) {
        switch (name) {
            case "01_ping": return Ping01.Run;
            case "02_drive": return Drive02.Run;
            case "03_read_sonars": return ReadSonars03.Run;
            case "04_wander_lockstep": return WanderLockstep04.Run;
            case "05_formation_batch": return FormationBatch05.Run;
            case "06_replay_seek": return ReplaySeek06.Run;
            case "07_stream": return Stream07.Run;
            case "08_typed": return Typed08.Run;
            default: throw new CoopsimException("name a program: 01_ping to 08_typed, or conformance");
        }
    }
}
