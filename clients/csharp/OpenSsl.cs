#if !NET8_0_OR_GREATER
using System;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Coopsim {

/// <summary>TLS by OpenSSL 3 of the system; every call to it ends at once, and waiting is left to the socket.</summary>
sealed class OpenSsl : Secured {
    const int FileOfPem = 1, VerifyPeer = 1, SetMode = 33, SetHostName = 55, SetLeastVersion = 123, Tls12 = 0x0303;
    const int WantRead = 2, WantWrite = 3, HasEnded = 6;
    static readonly IntPtr PartlyAndMoved = new IntPtr(1 | 2); // a write may be of a part, and again from another address
    readonly Socket socket;
    IntPtr context, session;

    public OpenSsl(Socket socket, Keys keys, double deadline) {
        this.socket = socket;
        try {
            context = SSL_CTX_new(TLS_client_method());
            session = HasLoaded(keys) ? SSL_new(context) : IntPtr.Zero;
            if (session == IntPtr.Zero || !HasConnected(deadline)) throw new Lost(Reason() ?? "no handshake in time");
        } catch (Exception problem) when (problem is Lost || problem is SocketException || problem is DllNotFoundException || problem is EntryPointNotFoundException) {
            Dispose();
            var cure = problem is Lost || problem is SocketException ? "" : "; it needs OpenSSL 3 (apt-get install libssl3)";
            throw new Lost($"no TLS with {keys.Own} and {keys.Server}: {problem.Message}{cure}");
        }
    }

    ~OpenSsl() { Free(); }

    bool HasLoaded(Keys keys) {
        ERR_clear_error();
        SSL_CTX_ctrl(context, SetLeastVersion, new IntPtr(Tls12), IntPtr.Zero);
        SSL_CTX_ctrl(context, SetMode, PartlyAndMoved, IntPtr.Zero);
        SSL_CTX_set_verify(context, VerifyPeer, IntPtr.Zero);
        return SSL_CTX_use_certificate_chain_file(context, keys.Own) == 1 && SSL_CTX_use_PrivateKey_file(context, keys.Own, FileOfPem) == 1
            && SSL_CTX_load_verify_locations(context, keys.Server, IntPtr.Zero) == 1;
    }

    bool HasConnected(double deadline) {
        socket.Blocking = false;
        if (SSL_set_fd(session, socket.Handle.ToInt32()) != 1 || SSL_set1_host(session, Keys.OfAll) != 1) return false;
        SSL_ctrl(session, SetHostName, IntPtr.Zero, Keys.OfAll);
        while (true) {
            ERR_clear_error();
            var outcome = SSL_connect(session);
            if (outcome == 1) return true;
            var wanted = SSL_get_error(session, outcome);
            if (!CanGoOn(wanted) || !Waits(wanted, deadline)) return false;
        }
    }

    static bool CanGoOn(int wanted) => wanted == WantRead || wanted == WantWrite;

    /// <summary>Wait until the socket is ready for what is wanted; false when the deadline is over.</summary>
    bool Waits(int wanted, double deadline) => socket.Poll(Link.Microseconds(deadline), wanted == WantRead ? SelectMode.SelectRead : SelectMode.SelectWrite);

    /// <summary>The last error that OpenSSL noted for this thread.</summary>
    static string/*?*/ Reason() => Marshal.PtrToStringAnsi(ERR_reason_error_string(ERR_peek_last_error()));

    public override int Read(byte[] into, int first, int room, int microseconds) {
        for (var deadline = Link.Now + 1e-6 * microseconds;;) {
            int wanted;
            lock (socket) {
                Begin();
                var count = SSL_read(session, ref into[first], room);
                if (count > 0) return count;
                wanted = SSL_get_error(session, count);
                if (wanted == HasEnded) return 0;
                if (!CanGoOn(wanted)) throw new Lost("the simulation is gone: " + (Reason() ?? "TLS has ended"));
            }
            if (!Waits(wanted, deadline)) return -1;
        }
    }

    public override void Write(byte[] from, double deadline) {
        for (var sent = 0; sent < from.Length;) {
            int wanted;
            lock (socket) {
                Begin();
                var count = SSL_write(session, ref from[sent], from.Length - sent);
                sent += Math.Max(count, 0);
                if (count > 0) continue;
                wanted = SSL_get_error(session, count);
                if (!CanGoOn(wanted)) throw new Lost("the simulation is gone: " + (Reason() ?? "TLS has ended"));
            }
            if (!Waits(wanted, deadline)) throw new SocketException((int)SocketError.TimedOut);
        }
    }

    /// <summary>Forget earlier errors, which would pass for those of the next call; another thread may have ended the session.</summary>
    void Begin() {
        if (session == IntPtr.Zero) throw new ObjectDisposedException("TLS");
        ERR_clear_error();
    }

    public override void Dispose() {
        GC.SuppressFinalize(this);
        lock (socket) Free();
    }

    void Free() {
        if (session != IntPtr.Zero) SSL_free(session);
        if (context != IntPtr.Zero) SSL_CTX_free(context);
        session = context = IntPtr.Zero;
    }

    const string Ssl = "libssl.so.3", Crypto = "libcrypto.so.3";
    [DllImport(Crypto)] static extern void ERR_clear_error();
    [DllImport(Crypto)] static extern UIntPtr ERR_peek_last_error();
    [DllImport(Crypto)] static extern IntPtr ERR_reason_error_string(UIntPtr error);
    [DllImport(Ssl)] static extern IntPtr TLS_client_method();
    [DllImport(Ssl)] static extern IntPtr SSL_CTX_new(IntPtr method);
    [DllImport(Ssl)] static extern void SSL_CTX_free(IntPtr context);
    [DllImport(Ssl)] static extern IntPtr SSL_CTX_ctrl(IntPtr context, int command, IntPtr value, IntPtr pointer);
    [DllImport(Ssl)] static extern void SSL_CTX_set_verify(IntPtr context, int mode, IntPtr callback);
    [DllImport(Ssl)] static extern int SSL_CTX_use_certificate_chain_file(IntPtr context, string file);
    [DllImport(Ssl)] static extern int SSL_CTX_use_PrivateKey_file(IntPtr context, string file, int kind);
    [DllImport(Ssl)] static extern int SSL_CTX_load_verify_locations(IntPtr context, string file, IntPtr folder);
    [DllImport(Ssl)] static extern IntPtr SSL_new(IntPtr context);
    [DllImport(Ssl)] static extern void SSL_free(IntPtr session);
    [DllImport(Ssl)] static extern int SSL_set_fd(IntPtr session, int socket);
    [DllImport(Ssl)] static extern int SSL_set1_host(IntPtr session, string name);
    [DllImport(Ssl)] static extern IntPtr SSL_ctrl(IntPtr session, int command, IntPtr value, string name);
    [DllImport(Ssl)] static extern int SSL_connect(IntPtr session);
    [DllImport(Ssl)] static extern int SSL_read(IntPtr session, ref byte into, int room);
    [DllImport(Ssl)] static extern int SSL_write(IntPtr session, ref byte from, int count);
    [DllImport(Ssl)] static extern int SSL_get_error(IntPtr session, int outcome);
}

}
#endif
