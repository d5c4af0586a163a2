#define _POSIX_C_SOURCE 200809L
#include "coopsim_tls.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "coopsim_values.h"

static const char NAME[] = "coopsim"; /* in every certificate of a server */

struct coopsim_tls {
    SSL_CTX *context;
    SSL *session;
    int socket;
};

double coopsim_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void coopsim_tls_end(coopsim_tls *tls) {
    if (tls == NULL) return;
    SSL_free(tls->session);
    SSL_CTX_free(tls->context);
    free(tls);
}

/* Whether a call may be made again: 1, or 0 when the deadline is over, or -1 when the session has ended. */
static int may_go_on(coopsim_tls *tls, int outcome, double deadline) {
    int error = SSL_get_error(tls->session, outcome);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return -1;
    struct pollfd waiting = {.fd = tls->socket, .events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT};
    double left = deadline - coopsim_now();
    return poll(&waiting, 1, left > 0 ? (int)(1000 * left) + 1 : 0) > 0;
}

/* A write to a socket that the other side has closed sends SIGPIPE, which is no business of a program with a client. */
static int written(SSL *session, const char *from, int size) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ERR_clear_error();
    int count = from == NULL ? SSL_connect(session) : SSL_write(session, from, size);
    if (count <= 0 && !sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

static int load(coopsim_tls *tls, const char *own, const char *server) {
    SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    return SSL_CTX_use_certificate_chain_file(tls->context, own) == 1 &&
           SSL_CTX_use_PrivateKey_file(tls->context, own, SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_load_verify_locations(tls->context, server, NULL) == 1;
}

static int connect_session(coopsim_tls *tls, double deadline) {
    fcntl(tls->socket, F_SETFL, fcntl(tls->socket, F_GETFL) | O_NONBLOCK);
    tls->session = SSL_new(tls->context);
    if (tls->session == NULL || SSL_set_fd(tls->session, tls->socket) != 1 || SSL_set1_host(tls->session, NAME) != 1) return 0;
    SSL_set_tlsext_host_name(tls->session, NAME);
    for (int outcome; (outcome = written(tls->session, NULL, 0)) != 1;)
        if (may_go_on(tls, outcome, deadline) <= 0) return 0;
    return 1;
}

coopsim_tls *coopsim_tls_start(int socket, const char *own, const char *server, double deadline) {
    coopsim_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) return NULL;
    tls->socket = socket;
    ERR_clear_error();
    tls->context = SSL_CTX_new(TLS_client_method());
    if (tls->context != NULL && load(tls, own, server) && connect_session(tls, deadline)) return tls;
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    coopsim_fail(COOPSIM_LOST, "no TLS with %s and %s: %s", own, server, reason == NULL ? "no handshake in time" : reason);
    coopsim_tls_end(tls);
    return NULL;
}

long coopsim_tls_read(coopsim_tls *tls, char *into, size_t room, double deadline) {
    while (1) {
        ERR_clear_error();
        int count = SSL_read(tls->session, into, (int)room);
        if (count > 0) return count;
        int next = may_go_on(tls, count, deadline);
        if (next <= 0) return next < 0 ? 0 : -1;
    }
}

long coopsim_tls_write(coopsim_tls *tls, const char *from, size_t size, double deadline) {
    while (1) {
        int count = written(tls->session, from, (int)size);
        if (count > 0) return count;
        int next = may_go_on(tls, count, deadline);
        if (next <= 0) return next < 0 ? 0 : -1;
    }
}
