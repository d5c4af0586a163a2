/* Reads the distances around a robot, and changes how far it sees. */
#include "program.h"

enum { RESET = 14, RANGES = 10, GET_PARAMETER = 2, SET_PARAMETER = 3 };

static double set_reach(double reach) {
    coopsim_param params[] = {coopsim_text("reach"), coopsim_float(reach)};
    ask_all("/robot1/sonars", SET_PARAMETER, params, 2, NULL, 0);
    return reply.params[0].value;
}

int main(void) {
    connect_or_die();
    ask("/sim/world", RESET);
    ask("/robot1/sonars", RANGES);
    printf("ranges");
    for (size_t place = 0; place < reply.n_data; place++) printf(" %.3f", reply.data[place]);
    coopsim_param name = coopsim_text("reach");
    ask_all("/robot1/sonars", GET_PARAMETER, &name, 1, NULL, 0);
    double reach = reply.params[0].value;
    printf("\nreach was %.1f m, is %.1f m\n", reach, set_reach(2.0));
    set_reach(reach);
    return done();
}
