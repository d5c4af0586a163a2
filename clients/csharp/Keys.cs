using System;
using System.IO;
using System.Net.Sockets;

namespace Coopsim {

/// <summary>What a server with keys (coopsim run --bind) wants to see, and what it shows.</summary>
public sealed class Keys {
    internal const string OfAll = "coopsim"; // the name in every certificate
    internal readonly string Own, Server;

    /// <summary>Our NAME.key and the server's NAME.pub: new Client(address, timeout, new Keys(own, server)).</summary>
    public Keys(string own, string server) {
        foreach (var file in new[] {own, server})
            if (!File.Exists(file)) throw new FileNotFoundException(file + " is not there (coopsim keys new NAME makes such a file)", file);
        Own = own;
        Server = server;
    }

    /// <summary>Make TLS of a connection: by .NET, or by OpenSSL where the runtime reads no such keys, as Mono does not.</summary>
    internal Secured Over(Socket socket, double deadline) {
#if NET8_0_OR_GREATER
        return new TlsStream(socket, this, deadline);
#else
        return new OpenSsl(socket, this, deadline);
#endif
    }
}

/// <summary>TLS over a connected socket.</summary>
abstract class Secured : IDisposable {
    /// <summary>Read what comes within some microseconds, and return how many bytes that is: 0 = the end, -1 = nothing came.</summary>
    public abstract int Read(byte[] into, int first, int room, int microseconds);

    /// <summary>Write all of it; SocketException when that takes too long.</summary>
    public abstract void Write(byte[] from, double deadline);

    public abstract void Dispose();
}

}
