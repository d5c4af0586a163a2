using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading;
using Coopsim;

/// <summary>Key files of a client, of a server that trusts it, and of a stranger, as coopsim keys new writes them.</summary>
sealed class KeyFiles : IDisposable {
    readonly string folder = Path.Combine(Path.GetTempPath(), "coopsim-" + Guid.NewGuid());

    public KeyFiles() {
        Directory.CreateDirectory(folder);
        foreach (var name in new[] {"anna", "lab", "mallory"}) {
            Make("ecparam -name prime256v1 -genkey -noout -out " + Secret(name));
            Make($"req -x509 -new -key {Secret(name)} -days 2 -subj /CN={name} -addext subjectAltName=DNS:coopsim -out {Public(name)}");
            File.AppendAllText(Secret(name), File.ReadAllText(Public(name)));
        }
    }

    public string Secret(string name) => Path.Combine(folder, name + ".key");

    public string Public(string name) => Path.Combine(folder, name + ".pub");

    static void Make(string arguments) {
        using (var openssl = Process.Start(new ProcessStartInfo("openssl", arguments) { UseShellExecute = false, RedirectStandardError = true })) {
            var problem = openssl.StandardError.ReadToEnd();
            openssl.WaitForExit();
            if (openssl.ExitCode != 0) throw new InvalidOperationException("openssl " + arguments + ": " + problem);
        }
    }

    public void Dispose() => Directory.Delete(folder, true);
}

/// <summary>The server's end of TLS, by OpenSSL: it takes the client whose certificate it knows, and no other.</summary>
sealed class ServerTls : Stream {
    const int FileOfPem = 1, AskForCertificate = 1 | 2;
    readonly Socket socket;
    readonly IntPtr context, session;

    public ServerTls(Socket socket, KeyFiles keys) {
        this.socket = socket;
        context = SSL_CTX_new(TLS_server_method());
        SSL_CTX_set_verify(context, AskForCertificate, IntPtr.Zero);
        Check(SSL_CTX_use_certificate_chain_file(context, keys.Public("lab")) + SSL_CTX_use_PrivateKey_file(context, keys.Secret("lab"), FileOfPem) == 2);
        Check(SSL_CTX_load_verify_locations(context, keys.Public("anna"), IntPtr.Zero) == 1);
        session = SSL_new(context);
        Check(SSL_set_fd(session, socket.Handle.ToInt32()) == 1 && SSL_accept(session) == 1);
    }

    static void Check(bool isRight) {
        if (!isRight) throw new IOException("no TLS with this client");
    }

    public override int Read(byte[] into, int first, int room) => Math.Max(SSL_read(session, ref into[first], room), 0);

    public override void Write(byte[] from, int first, int count) => Check(SSL_write(session, ref from[first], count) == count);

    protected override void Dispose(bool disposing) {
        SSL_free(session);
        SSL_CTX_free(context);
        socket.Close();
    }

    public override bool CanRead => true;
    public override bool CanWrite => true;
    public override bool CanSeek => false;
    public override long Length => throw new NotSupportedException();
    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    public override void SetLength(long length) => throw new NotSupportedException();
    public override void Flush() {}

    const string Ssl = "libssl.so.3";
    [DllImport(Ssl)] static extern IntPtr TLS_server_method();
    [DllImport(Ssl)] static extern IntPtr SSL_CTX_new(IntPtr method);
    [DllImport(Ssl)] static extern void SSL_CTX_free(IntPtr context);
    [DllImport(Ssl)] static extern void SSL_CTX_set_verify(IntPtr context, int mode, IntPtr callback);
    [DllImport(Ssl)] static extern int SSL_CTX_use_certificate_chain_file(IntPtr context, string file);
    [DllImport(Ssl)] static extern int SSL_CTX_use_PrivateKey_file(IntPtr context, string file, int kind);
    [DllImport(Ssl)] static extern int SSL_CTX_load_verify_locations(IntPtr context, string file, IntPtr folder);
    [DllImport(Ssl)] static extern IntPtr SSL_new(IntPtr context);
    [DllImport(Ssl)] static extern void SSL_free(IntPtr session);
    [DllImport(Ssl)] static extern int SSL_set_fd(IntPtr session, int socket);
    [DllImport(Ssl)] static extern int SSL_accept(IntPtr session);
    [DllImport(Ssl)] static extern int SSL_read(IntPtr session, ref byte into, int room);
    [DllImport(Ssl)] static extern int SSL_write(IntPtr session, ref byte from, int count);
}

/// <summary>Tests of TLS with keys.</summary>
static class TlsTests {
    const int Large = 100000; // values; 900 kB as msgpack, and of the largest message of 1 MiB the most part

    public static void Run() {
        using (var keys = new KeyFiles()) {
            var ours = new Keys(keys.Secret("anna"), keys.Public("lab"));
            Carries(keys, ours);
            Refuses(keys, ours);
            Waits(keys, ours);
            Ends(keys, ours);
            Tests.Throws<FileNotFoundException>(() => new Keys("nobody.key", keys.Public("lab")), "a key that is not there");
        }
    }

    static void With(KeyFiles keys, Keys ours, Func<Message, Message> answer, Action<Client, Server> test) {
        using (var server = new Server(answer, keys))
        using (var sim = server.Client(ours)) test(sim, server);
    }

    static void Carries(KeyFiles keys, Keys ours) {
        With(keys, ours, asked => Tests.Reply(asked.Params, asked.Data), (sim, server) => {
            Tests.Check(sim.Run == 77, "a client with a key is taken");
            var values = Enumerable.Range(0, Large).Select(number => 0.5 * number).ToArray();
            for (var times = 0; times < 2; times++)
                Tests.Check(sim.Ask("/a", 10, new object[] {"x"}, values).Data.SequenceEqual(values), "a large message, there and back");
        });
    }

    static void Refuses(KeyFiles keys, Keys ours) {
        foreach (var others in new[] {null, new Keys(keys.Secret("mallory"), keys.Public("lab")), new Keys(keys.Secret("anna"), keys.Public("mallory"))})
            using (var server = new Server(asked => Tests.Reply(new object[0]), keys)) {
                Tests.Throws<Lost>(() => server.Client(others).Dispose(), "a client without its key, or a server that is another");
                Tests.Check(server.Pings == 0, "and nothing is asked");
            }
        using (var server = new Server(asked => Tests.Reply(new object[0])))
            Tests.Throws<Lost>(() => server.Client(ours, 0.1).Dispose(), "a server that begins no TLS");
    }

    static void Waits(KeyFiles keys, Keys ours) {
        With(keys, ours, asked => asked.Command == 10 ? Tests.Reply(new object[0], 1, 2) : null, (sim, server) => {
            Tests.Throws<Silent>(() => sim.Within(TimeSpan.FromSeconds(0.02)).Ask("/robot1/sonars", 11), "a time-out");
            Tests.Check(sim.Ask("/robot1/sonars", 10).Data.Length == 2, "a request after a time-out");
            using (var source = new CancellationTokenSource()) {
                server.Requests.Take();
                server.Requests.Take();
                var impatient = new Thread(() => {
                    server.Requests.Take();
                    source.Cancel();
                });
                impatient.Start();
                Tests.Throws<OperationCanceledException>(() => sim.Within(TimeSpan.FromSeconds(30), source.Token).Ask("/robot1/sonars", 11), "a cancel");
                impatient.Join();
            }
            Tests.Check(sim.Ask("/robot1/sonars", 10).Data.Length == 2, "a request after a cancel");
        });
    }

    static void Ends(KeyFiles keys, Keys ours) {
        With(keys, ours, asked => null, (sim, server) => {
            var disposer = new Thread(() => {
                server.Requests.Take();
                sim.Dispose();
            });
            disposer.Start();
            Tests.Throws<Lost>(() => sim.Ask("/robot1/sonars", 10), "a connection that another thread ends");
            disposer.Join();
            Tests.Throws<Lost>(() => sim.Ask("/robot1/sonars", 10), "a connection that has ended");
        });
        using (var server = new Server(asked => throw new IOException("it ends"), keys))
        using (var sim = server.Client(ours)) Tests.Throws<Lost>(() => sim.Ask("/robot1/sonars", 10), "a server that ends");
    }
}
