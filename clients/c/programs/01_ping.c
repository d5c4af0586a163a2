/* Asks what is there, and for something that is not. */
#include "program.h"

enum { PING, LIST = 10 };

int main(void) {
    connect_or_die();
    ask("/robot1/motors", PING);
    printf("/robot1/motors is a %s\n", reply.params[0].text);
    coopsim_param prefix = coopsim_text("/robot1/");
    ask_all("/sim/names", LIST, &prefix, 1, NULL, 0);
    for (size_t place = 0; place < reply.n_params; place++) puts(reply.params[place].text);
    if (coopsim_ask(sim, "/robotX/motors", PING, NULL, 0, NULL, 0, &reply) == COOPSIM_REFUSED)
        printf("refused with %d\n", (int)reply.error);
    return done();
}
