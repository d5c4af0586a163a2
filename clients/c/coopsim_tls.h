/* Internal: TLS over a connected socket, by OpenSSL; every call ends at a deadline, in seconds of the monotonic clock. */
#ifndef COOPSIM_TLS_H
#define COOPSIM_TLS_H

#include <stddef.h>

typedef struct coopsim_tls coopsim_tls;

/* Seconds of the monotonic clock. */
double coopsim_now(void);

/* Make TLS of a socket, with our NAME.key and the server's NAME.pub; NULL when that fails, and coopsim_problem says why. */
coopsim_tls *coopsim_tls_start(int socket, const char *own, const char *server, double deadline);
void coopsim_tls_end(coopsim_tls *tls);

/* Return how many bytes were read or written: 0 = the end, -1 = none before the deadline. */
long coopsim_tls_read(coopsim_tls *tls, char *into, size_t room, double deadline);
long coopsim_tls_write(coopsim_tls *tls, const char *from, size_t size, double deadline);

#endif
