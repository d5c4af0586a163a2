/* Sees every state of a robot without asking for it. */
#include "program.h"

#include "../coopsim_events.h"

enum { RESET = 14, SUBSCRIBE = 11, CLAIM = 13, STEP = 11, RELEASE = 15 };

int main(void) {
    coopsim_param params[] = {coopsim_whole(0), coopsim_text("robot1")}, topic = coopsim_text("/robot1");
    coopsim_message message = {0};
    connect_or_die();
    ask("/sim/world", RESET);
    ask_all("/sim/step", CLAIM, params + 1, 1, NULL, 0);
    ask_all("/sim/info", SUBSCRIBE, &topic, 1, NULL, 0);
    for (int number = 1; number <= 50; number++) {
        ask_all("/sim/step", STEP, params, 2, (double[]){0.4, 0.1}, 2);
        do
            if (coopsim_state(sim, &message) != COOPSIM_OK) coopsim_die(sim);
        while (message.tick < reply.tick);
        if (number % 10 != 0) continue;
        coopsim_state_values state;
        if (coopsim_read_state(&message, &state) != COOPSIM_OK) coopsim_die(sim);
        const double *pose = coopsim_body_pose(&state, 0);
        printf("step %d: %s is at x %.3f m, y %.3f m\n", number, coopsim_body_name(&state, 0), pose[0], pose[1]);
    }
    ask("/sim/step", RELEASE);
    coopsim_free(&message);
    return done();
}
