/* Drives three robots by names: commands, readings, parameters and refusals as this language has them. */
#include "program.h"

#include "../coopsim_errors.h"
#include "../coopsim_modules.h"

enum { ROBOTS = 3 };
static const char *const NAMES[ROBOTS] = {"robot1", "robot2", "robot3"};

static void check(int outcome) {
    if (outcome != COOPSIM_OK) coopsim_die(sim);
}

static void print_readings(coopsim_stepper *stepper, const char *robot) {
    coopsim_sonars_readings sonars;
    coopsim_differential_drive_readings drive;
    check(coopsim_seen_sonars(stepper, robot, NULL, &sonars));
    check(coopsim_seen_differential_drive(stepper, robot, NULL, &drive));
    double nearest = sonars.ranges[0];
    for (size_t place = 1; place < sonars.n_ranges; place++)
        if (sonars.ranges[place] < nearest) nearest = sonars.ranges[place];
    printf("%s: nearest %.3f m, speed %.3f m/s\n", robot, nearest, drive.v);
}

static void drive(void) {
    check(coopsim_world_reset(sim, "all", -1));
    coopsim_stepper *stepper = coopsim_stepper_open(sim, NAMES, ROBOTS);
    if (stepper == NULL) coopsim_die(sim);
    for (int step = 0; step < 40; step++) {
        for (int robot = 0; robot < ROBOTS; robot++)
            check(coopsim_set_differential_drive(stepper, NAMES[robot], NULL, 0.1 * (robot + 1), 0.05));
        check(coopsim_stepper_step(stepper));
    }
    for (int robot = 0; robot < ROBOTS; robot++) print_readings(stepper, NAMES[robot]);
    check(coopsim_stepper_close(stepper));
}

int main(void) {
    coopsim_odometry_pose_reply pose;
    coopsim_sonars_ranges_reply ranges = {0};
    double reach, changed;
    connect_or_die();
    drive();
    check(coopsim_odometry_pose(sim, "/robot3/odometry", &pose));
    printf("robot3 is at x %.3f m, y %.3f m\n", pose.x, pose.y);
    check(coopsim_sonars_get_reach(sim, "/robot1/sonars", &reach));
    check(coopsim_sonars_set_reach(sim, "/robot1/sonars", 2.0));
    check(coopsim_sonars_get_reach(sim, "/robot1/sonars", &changed));
    printf("reach was %.1f m, is %.1f m\n", reach, changed);
    check(coopsim_sonars_set_reach(sim, "/robot1/sonars", reach));
    int is_refused = coopsim_sonars_ranges(sim, "/robotX/sonars", &ranges) == COOPSIM_REFUSED;
    int is_missing = is_refused && ranges.reply.error == COOPSIM_ERROR_NO_SUCH_NAME;
    printf("refused: no such name %s\n", is_missing ? "true" : "false");
    coopsim_free(&ranges.reply);
    return done();
}
