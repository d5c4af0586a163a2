/* A client of coopsim: plain TCP, TLS or ZeroMQ, and msgpack (libmsgpack-dev libzmq3-dev libssl-dev,
 * -lmsgpackc -lzmq -lssl -lcrypto).
 *
 *     coopsim_message reply = {0};
 *     coopsim_client *sim = coopsim_connect(NULL, 5.0);
 *     if (sim == NULL) coopsim_die(NULL);
 *     coopsim_ask(sim, "/robot1/motors", 10, NULL, 0, (double[]){0.3, 0.1}, 2, &reply);
 *     coopsim_free(&reply);
 *     coopsim_close(sim);
 *
 * A message owns what it points to until coopsim_free; what is received into it frees what it held before.
 */
#ifndef COOPSIM_H
#define COOPSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coopsim_client coopsim_client;

/* Outcomes; `coopsim_problem` says more in words. */
enum { COOPSIM_OK, COOPSIM_REFUSED, COOPSIM_SILENT, COOPSIM_LOST, COOPSIM_MALFORMED };

typedef struct {
    enum { COOPSIM_UINT, COOPSIM_INT, COOPSIM_FLOAT, COOPSIM_TEXT } type; /* INT is below zero */
    uint64_t whole;                                                       /* of UINT; of INT the bits of an int64_t */
    double value;
    const char *text; /* ends with a zero byte, too */
    size_t length;
} coopsim_param;

typedef struct {
    uint64_t id, tick, run; /* run: of requests, 0 = whichever is there */
    uint64_t error, command;
    const char *target, *text;
    const coopsim_param *params;
    size_t n_params;
    const double *data;
    size_t n_data;
    void *memory;
} coopsim_message;

coopsim_param coopsim_text(const char *text);
coopsim_param coopsim_whole(int64_t value);
coopsim_param coopsim_float(double value);

/* Connect by plain TCP to host:port, by ZeroMQ to zmq://host:port; NULL = what COOPSIM_TCP says, or 127.0.0.1:5571.
 * NULL when that fails. */
coopsim_client *coopsim_connect(const char *address, double timeout);
/* Connect by TLS, with our file NAME.key and the server's NAME.pub; NULL when that fails. */
coopsim_client *coopsim_connect_keys(const char *address, double timeout, const char *own, const char *server);
void coopsim_close(coopsim_client *sim);
uint64_t coopsim_run(const coopsim_client *sim);

/* Send a request and receive its reply, also that of a refusal. Returns an outcome. */
int coopsim_ask(coopsim_client *sim, const char *target, uint64_t command, const coopsim_param *params, size_t n_params,
                const double *data, size_t n_data, coopsim_message *reply);

/* The same with a time-out of its own [s], for writing and for the reply. */
int coopsim_ask_within(coopsim_client *sim, double timeout, const char *target, uint64_t command, const coopsim_param *params,
                       size_t n_params, const double *data, size_t n_data, coopsim_message *reply);

/* Send several requests to the simulation, then wait for all replies, as a STEP in parts needs it; their ids and runs are
 * filled in, and `replies` has room for as many. The time-out is that of all together. COOPSIM_REFUSED when one of them is refused. */
int coopsim_ask_all(coopsim_client *sim, const coopsim_message *requests, size_t count, coopsim_message *replies);

/* Connect anew, to the same run. Returns an outcome: COOPSIM_REFUSED (208) when another run is there, whose number is
 * put into `there` unless that is NULL; then there is no connection, and coopsim_connect may drive the other run. */
int coopsim_reconnect(coopsim_client *sim, uint64_t *there);

/* Wait for the next state of a topic that was subscribed to: command 11 of /sim/info. Returns an outcome. */
int coopsim_state(coopsim_client *sim, coopsim_message *state);

/* What went wrong last, in words; in this thread. */
const char *coopsim_problem(void);
/* Print that, and end the program. */
void coopsim_die(coopsim_client *sim);

/* Make the bytes of a message, to be freed; or a message of bytes, an outcome. */
char *coopsim_encode(const coopsim_message *message, size_t *size);
int coopsim_decode(const char *raw, size_t size, coopsim_message *message);
void coopsim_free(coopsim_message *message);

#ifdef __cplusplus
}
#endif
#endif
