/* Sees every state of a robot without asking for it. */
#include "program.h"

enum { RESET = 14, SUBSCRIBE = 11, CLAIM = 13, STEP = 11, RELEASE = 15 };
enum { FIRST_NAME = 8 }; /* of the params of a state; the values of the body follow the time */

int main(void) {
    coopsim_param params[] = {coopsim_whole(0), coopsim_text("robot1")}, topic = coopsim_text("/robot1");
    coopsim_message state = {0};
    connect_or_die();
    ask("/sim/world", RESET);
    ask_all("/sim/step", CLAIM, params + 1, 1, NULL, 0);
    ask_all("/sim/info", SUBSCRIBE, &topic, 1, NULL, 0);
    for (int number = 1; number <= 50; number++) {
        ask_all("/sim/step", STEP, params, 2, (double[]){0.4, 0.1}, 2);
        do
            if (coopsim_state(sim, &state) != COOPSIM_OK) coopsim_die(sim);
        while (state.tick < reply.tick);
        if (number % 10 == 0)
            printf("step %d: %s is at x %.3f m, y %.3f m\n", number, state.params[FIRST_NAME].text, state.data[1], state.data[2]);
    }
    ask("/sim/step", RELEASE);
    coopsim_free(&state);
    return done();
}
