#if NET8_0_OR_GREATER
using System;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;

namespace Coopsim {

/// <summary>TLS by .NET; it trusts one certificate, byte for byte.</summary>
sealed class TlsStream : Secured {
    readonly byte[] buffer = new byte[1 << 14]; // as long as a record of TLS
    readonly SslStream stream;
    Task<int>/*?*/ reading; // it goes on when a deadline is over: a read that is broken off in a record ends the session
    int first, behind; // of what is read in the buffer, and not yet given

    public TlsStream(Socket socket, Keys keys, double deadline) {
        stream = new SslStream(new NetworkStream(socket));
        try {
            using (var patience = new CancellationTokenSource(TimeSpan.FromSeconds(Math.Max(deadline - Link.Now, 0))))
                stream.AuthenticateAsClientAsync(Options(keys), patience.Token).GetAwaiter().GetResult();
        } catch (Exception problem) when (problem is AuthenticationException || problem is IOException || problem is OperationCanceledException || problem is CryptographicException) {
            stream.Dispose();
            var reason = problem is OperationCanceledException ? "no handshake in time" : problem.Message;
            throw new Lost($"no TLS with {keys.Own} and {keys.Server}: {reason}");
        }
    }

    static SslClientAuthenticationOptions Options(Keys keys) {
        var certificate = X509Certificate2.CreateFromPem(File.ReadAllText(keys.Server)).RawData;
        var own = X509Certificate2.CreateFromPemFile(keys.Own);
        return new SslClientAuthenticationOptions {
            TargetHost = Keys.OfAll,
            EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
            LocalCertificateSelectionCallback = (sender, host, local, remote, issuers) => own, // whatever issuers the server names
            RemoteCertificateValidationCallback = (sender, shown, chain, errors) => shown != null && shown.GetRawCertData().SequenceEqual(certificate)
        };
    }

    static int Milliseconds(int microseconds) => (microseconds + 999) / 1000;

    public override int Read(byte[] into, int at, int room, int microseconds) {
        if (first == behind && !HasRead(Milliseconds(microseconds))) return -1;
        var count = Math.Min(room, behind - first);
        Buffer.BlockCopy(buffer, first, into, at, count);
        first += count;
        return count;
    }

    bool HasRead(int milliseconds) {
        reading = reading ?? stream.ReadAsync(buffer, 0, buffer.Length);
        try {
            if (!reading.Wait(milliseconds)) return false;
        } catch (AggregateException problem) {
            throw Gone(problem);
        }
        (first, behind, reading) = (0, reading.Result, null);
        return true;
    }

    public override void Write(byte[] from, double deadline) {
        try {
            if (!stream.WriteAsync(from, 0, from.Length).Wait(Milliseconds(Link.Microseconds(deadline)))) throw new SocketException((int)SocketError.TimedOut);
        } catch (AggregateException problem) {
            throw Gone(problem);
        }
    }

    static Lost Gone(AggregateException problem) => new Lost("the simulation is gone: " + problem.GetBaseException().Message);

    public override void Dispose() => stream.Dispose();
}

}
#endif
