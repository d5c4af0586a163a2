/* A robot that is no part of the simulation: motors, odometry and sonars behind the protocol, with a motion of its own.
 *
 * It stands in for a real robot: a process of its own, in C, plain TCP, no library. It registers /NAME/motors, /NAME/odometry
 * and /NAME/sonars with /sim/names, so that every client finds them there. Its wheels answer late, not at all to small
 * commands, and turn more than they roll: --delay [s], --dead-zone [m/s], --slip [share], --lag [s].
 *
 *     cc -O2 -Wall -Wextra -o robot robot.c -lm
 *     ./robot --name robot2 --simulation 127.0.0.1:5571 --x 1 --y 2 --heading 0 --delay 0.1 --dead-zone 0.02 --slip 0.1
 *
 * Specification: docs/protocol.md. What the hardware of a real robot would do stands in `move` and nowhere else.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 32, LARGEST_REPLY = 4096, MOST_VALUES = 64, SONARS = 11, QUEUE = 256 };
enum { LARGEST = 1 << 20, MOST_PARAMS = 4096, MOST_DATA = 65536, LONGEST_PARAM = 1 << 18, LONGEST_TEXT = 1024, LONGEST_TARGET = 256 };
enum { PING, DESCRIBE, GET_PARAMETER, SET_PARAMETER, STATISTICS };
enum { MALFORMED = 101, BAD_VERSION = 102, TOO_LARGE = 103, NO_SUCH_NAME = 201, NO_SUCH_COMMAND = 202, BAD_ARGUMENT = 203 };

static const double STEP = 0.01, RENEWAL = 1.0, PI = 3.14159265358979323846;
static const char *const MODULES[] = {"motors", "odometry", "sonars"};

/* ---- the robot: everything that a real one would do by itself ---- */

static struct {
    double half_track, max_speed, lag, delay, dead_zone, slip;
    double x, y, heading, odometer[3];      /* where it is, and where its odometry thinks it is */
    double left, right;                     /* speeds of the wheels */
    double wanted[QUEUE][2];                /* commands under way, the newest at `step % QUEUE` */
    long step;
} robot = {.half_track = 0.18, .max_speed = 0.5, .lag = 0.1};

static double clipped(double value, double most) { return value > most ? most : value < -most ? -most : value; }

static void command(double v, double w) {
    double left = v - w * robot.half_track, right = v + w * robot.half_track;
    double most = fmax(fabs(left), fabs(right)), share = most > robot.max_speed ? robot.max_speed / most : 1.0;
    robot.wanted[robot.step % QUEUE][0] = left * share;
    robot.wanted[robot.step % QUEUE][1] = right * share;
}

static double wheel(double now, double wanted) {
    if (fabs(wanted) < robot.dead_zone) wanted = 0.0;
    return robot.lag > 0.0 ? now + (wanted - now) * fmin(1.0, STEP / robot.lag) : wanted;
}

static void roll(double *pose, double left, double right) {
    double v = 0.5 * (left + right), w = 0.5 * (right - left) / robot.half_track;
    double middle = pose[2] + 0.5 * STEP * w;
    pose[0] += STEP * v * cos(middle);
    pose[1] += STEP * v * sin(middle);
    pose[2] = remainder(pose[2] + STEP * w, 2.0 * PI);
}

static void move(void) {
    long late = (long)clipped(robot.delay / STEP, QUEUE - 2), from = robot.step - late;
    const double *wanted = robot.wanted[(from < 0 ? 0 : from) % QUEUE];
    robot.left = wheel(robot.left, wanted[0]);
    robot.right = wheel(robot.right, wanted[1]);
    double pose[3] = {robot.x, robot.y, robot.heading};
    roll(pose, robot.left * (1.0 - robot.slip), robot.right * (1.0 - robot.slip));
    robot.x = pose[0], robot.y = pose[1], robot.heading = pose[2];
    roll(robot.odometer, robot.left, robot.right);      /* encoders count what slips, too */
    long next = robot.step + 1;
    memcpy(robot.wanted[next % QUEUE], robot.wanted[robot.step % QUEUE], sizeof robot.wanted[0]);
    robot.step = next;
}

/* ---- parameters ---- */

typedef struct { const char *module, *name, *unit; double *value, low, high; const char *summary; } Parameter;

static const Parameter PARAMETERS[] = {
    {"motors", "half_track", "m", &robot.half_track, 0.01, 10, "half the distance between the wheels"},
    {"motors", "max_speed", "m/s", &robot.max_speed, 0, 10, "largest speed of a wheel"},
    {"motors", "lag", "s", &robot.lag, 0, 10, "time in which a wheel takes up two thirds of a change"},
    {"motors", "delay", "s", &robot.delay, 0, 2, "time from a command until the wheels have it"},
    {"motors", "dead_zone", "m/s", &robot.dead_zone, 0, 1, "slower commands do not move a wheel"},
    {"motors", "slip", "1", &robot.slip, 0, 0.9, "share of a wheel's way that does not move the robot"},
};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof PARAMETERS[0] };

static const char *const COMMANDS[] = {
    "{\"number\":10,\"name\":\"set_velocity\",\"summary\":\"Drive and turn.\",\"effect\":\"set\",\"takes\":["
    "{\"name\":\"v\",\"unit\":\"m/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1,\"default\":0.0},"
    "{\"name\":\"w\",\"unit\":\"rad/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1,\"default\":0.0}],\"gives\":[]},"
    "{\"number\":12,\"name\":\"stop\",\"summary\":\"Stop.\",\"effect\":\"set\",\"takes\":[],\"gives\":[]},"
    "{\"number\":13,\"name\":\"state\",\"summary\":\"Speeds.\",\"effect\":\"read\",\"takes\":[],\"gives\":["
    "{\"name\":\"v\",\"unit\":\"m/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1},"
    "{\"name\":\"w\",\"unit\":\"rad/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1},"
    "{\"name\":\"left\",\"unit\":\"m/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1},"
    "{\"name\":\"right\",\"unit\":\"m/s\",\"summary\":\"\",\"in\":\"data\",\"count\":1}]}",
    "{\"number\":10,\"name\":\"pose\",\"summary\":\"Estimated pose.\",\"effect\":\"read\",\"takes\":[],\"gives\":["
    "{\"name\":\"x\",\"unit\":\"m\",\"summary\":\"\",\"in\":\"data\",\"count\":1},"
    "{\"name\":\"y\",\"unit\":\"m\",\"summary\":\"\",\"in\":\"data\",\"count\":1},"
    "{\"name\":\"heading\",\"unit\":\"rad\",\"summary\":\"\",\"in\":\"data\",\"count\":1}]},"
    "{\"number\":12,\"name\":\"reset\",\"summary\":\"Begin anew at a pose.\",\"effect\":\"edit\",\"takes\":["
    "{\"name\":\"x\",\"unit\":\"m\",\"summary\":\"\",\"in\":\"data\",\"count\":1,\"default\":0.0},"
    "{\"name\":\"y\",\"unit\":\"m\",\"summary\":\"\",\"in\":\"data\",\"count\":1,\"default\":0.0},"
    "{\"name\":\"heading\",\"unit\":\"rad\",\"summary\":\"\",\"in\":\"data\",\"count\":1,\"default\":0.0}],\"gives\":[]}",
    "{\"number\":10,\"name\":\"ranges\",\"summary\":\"Distances now; it stands alone on its floor.\",\"effect\":\"read\","
    "\"takes\":[],\"gives\":[{\"name\":\"ranges\",\"unit\":\"m\",\"summary\":\"\",\"in\":\"data\",\"count\":11}]}",
};
static const char *const KINDS[] = {"differential_drive", "odometry", "sonars"};

static const Parameter *parameter(const char *module, const char *name) {
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (!strcmp(PARAMETERS[i].module, module) && !strcmp(PARAMETERS[i].name, name)) return &PARAMETERS[i];
    return NULL;
}

static void describe(int module, char *out, size_t size) {
    size_t at = snprintf(out, size, "{\"kind\":\"%s\",\"summary\":\"Of a robot that is no part of the simulation.\","
                         "\"commands\":[%s],\"parameters\":[", KINDS[module], COMMANDS[module]);
    for (int i = 0, n = 0; i < PARAMETER_COUNT; i++) {
        const Parameter *it = &PARAMETERS[i];
        if (strcmp(it->module, MODULES[module])) continue;
        at += snprintf(out + at, size - at, "%s{\"name\":\"%s\",\"type\":\"float\",\"unit\":\"%s\",\"default\":%g,\"low\":%g,"
                       "\"high\":%g,\"summary\":\"%s\",\"fixed\":false}", n++ ? "," : "", it->name, it->unit, *it->value,
                       it->low, it->high, it->summary);
    }
    snprintf(out + at, size - at, "]}");
}

/* ---- msgpack: reading; a cursor that has failed reads nothing more ---- */

typedef enum { UINT, NEGATIVE, FLOAT, TEXT, BIN, ARRAY, OTHER, MAP, EXTENSION } Kind;
typedef struct { const unsigned char *at, *end; int failed, is_later; } Reader;      /* later fields may be anything */
typedef struct { Kind kind; uint64_t value, length; double number; const unsigned char *raw; } Part;

static uint64_t bytes(Reader *in, int count) {
    uint64_t value = 0;
    if (in->end - in->at < count) { in->failed = 1, in->at = in->end; return 0; }
    while (count--) value = value << 8 | *in->at++;
    return value;
}

static int is_utf8(const unsigned char *at, size_t count) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    for (const unsigned char *end = at + count; at < end;) {
        int lead = *at++, more = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        uint32_t point = more ? lead & (0x3f >> more) : lead;
        if ((lead >= 0x80 && lead < 0xc0) || lead > 0xf4 || end - at < more) return 0;
        for (int i = 0; i < more; i++, at++) {
            if ((*at & 0xc0) != 0x80) return 0;
            point = point << 6 | (*at & 0x3f);
        }
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return 0;
    }
    return 1;
}

static void body(Reader *in, Part *it, Kind kind, uint64_t length) {
    it->kind = kind, it->length = length, it->raw = in->at;
    if ((uint64_t)(in->end - in->at) < length) { in->failed = 1; return; }
    in->at += length;
    if (kind == TEXT && !in->is_later && !is_utf8(it->raw, length)) in->failed = 1;
}

static void integer(Part *it, uint64_t bits, int width) {      /* of `width` bytes, with a sign */
    int64_t value = (int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width);
    it->kind = value < 0 ? NEGATIVE : UINT, it->value = value, it->number = value;
}

static void real(Part *it, uint64_t bits, int width) {
    uint32_t narrow = bits;
    float value;
    it->kind = FLOAT, memcpy(&value, &narrow, 4), memcpy(&it->number, &bits, 8);
    if (width == 4) it->number = value;
}

/* The next part; of an array or a map its head alone. */
static Part next(Reader *in) {
    Part it = {.kind = OTHER};
    unsigned code = bytes(in, 1);
    if (code < 0x80 || code >= 0xe0) integer(&it, code, 1);
    else if (code < 0xa0) it.kind = code < 0x90 ? MAP : ARRAY, it.length = code & 15;
    else if (code < 0xc0) body(in, &it, TEXT, code & 31);
    else if (code == 0xc1) in->failed = 1;
    else if (code < 0xc4) return it;
    else if (code < 0xc7) body(in, &it, BIN, bytes(in, 1 << (code - 0xc4)));
    else if (code < 0xca) body(in, &it, EXTENSION, bytes(in, 1 << (code - 0xc7)) + 1);
    else if (code < 0xcc) real(&it, bytes(in, 4 << (code - 0xca)), 4 << (code - 0xca));
    else if (code < 0xd0) it.kind = UINT, it.value = bytes(in, 1 << (code - 0xcc)), it.number = it.value;
    else if (code < 0xd4) integer(&it, bytes(in, 1 << (code - 0xd0)), 1 << (code - 0xd0));
    else if (code < 0xd9) body(in, &it, EXTENSION, (1 << (code - 0xd4)) + 1);
    else if (code < 0xdc) body(in, &it, TEXT, bytes(in, 1 << (code - 0xd9)));
    else it.kind = code < 0xde ? ARRAY : MAP, it.length = bytes(in, 2 << (code & 1));
    return it;
}

/* Pass over parts and all that is inside them, however deep. */
static void skip(Reader *in, uint64_t count) {
    while (count-- && !in->failed) {
        Part it = next(in);
        if (it.kind >= MAP && !in->is_later) in->failed = 1;
        if (it.kind == ARRAY || it.kind == MAP) count += it.kind == MAP ? 2 * it.length : it.length;
    }
}

/* ---- msgpack: writing ---- */

typedef struct { unsigned char raw[LARGEST_REPLY]; size_t length; } Writer;

static void put(Writer *out, uint64_t value, int count) {
    while (count--) out->raw[out->length++] = value >> (8 * count);
}

static void put_uint(Writer *out, uint64_t value) {
    if (value < 0x80) put(out, value, 1);
    else put(out, 0xcf, 1), put(out, value, 8);
}

static void put_bytes(Writer *out, const char *value, size_t count) {
    put(out, 0xda, 1), put(out, count, 2);
    memcpy(out->raw + out->length, value, count), out->length += count;
}

static void put_text(Writer *out, const char *value) { put_bytes(out, value, strlen(value)); }

static void put_float(Writer *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put(out, 0xcb, 1), put(out, bits, 8);
}

/* ---- one request, one reply ---- */

typedef struct {
    uint64_t id, command;
    size_t target_length, params, values;
    char target[LONGEST_TARGET + 1], name[64];
    int binary, has_value;
    double value, data[MOST_VALUES];      /* the second param, if it is a number; the data */
} Request;

typedef struct {
    int error, has_param, values;
    const char *text;
    char param[LARGEST_REPLY - 1000];
    double number, data[MOST_VALUES];
} Reply;

enum { FIELDS = 9, ENVELOPE = 7 };

/* Where each field begins, of a message that is whole. */
static int split(const unsigned char *raw, size_t size, Reader fields[FIELDS]) {
    Reader in = {raw, raw + size, 0, 0};
    Part whole = next(&in);
    if (whole.kind != ARRAY || whole.length < FIELDS) return 0;
    for (int i = 0; i < FIELDS; i++) fields[i] = in, skip(&in, 1);
    in.is_later = 1, skip(&in, whole.length - FIELDS);
    return !in.failed && in.at == in.end;
}

static int read_envelope(Reader fields[FIELDS], Request *to) {
    static const Kind wanted[ENVELOPE] = {UINT, UINT, TEXT, UINT, UINT, TEXT, UINT};
    int is_wrong = 0, is_negative = 0;
    Part it[ENVELOPE];
    for (int i = 0; i < ENVELOPE; i++) {
        it[i] = next(&fields[i]);
        if (it[i].kind == NEGATIVE && wanted[i] == UINT) is_negative = 1;
        else if (it[i].kind != wanted[i]) is_wrong = 1;
    }
    if (it[1].kind == UINT) to->id = it[1].value;
    if (it[6].kind == UINT) to->command = it[6].value;
    if (it[2].kind == TEXT && it[2].length <= LONGEST_TARGET)
        memcpy(to->target, it[2].raw, it[2].length), to->target_length = it[2].length;
    if (is_wrong) return MALFORMED;
    if (it[0].kind == NEGATIVE || it[0].value != 1) return BAD_VERSION;
    if (is_negative) return MALFORMED;
    return it[2].length > LONGEST_TARGET || it[5].length > LONGEST_TEXT ? TOO_LARGE : 0;
}

static int read_params(Reader in, Request *to) {
    Part list = next(&in);
    if (list.kind != ARRAY) return MALFORMED;
    if (list.length > MOST_PARAMS) return TOO_LARGE;
    to->params = list.length;
    for (size_t i = 0; i < list.length; i++) {
        Part it = next(&in);
        if (it.kind > TEXT || (it.kind == FLOAT && !isfinite(it.number))) return BAD_ARGUMENT;
        if (it.kind == TEXT && it.length > LONGEST_PARAM) return TOO_LARGE;
        if (i == 0 && it.kind == TEXT && it.length < sizeof to->name) memcpy(to->name, it.raw, it.length);
        if (i == 1 && it.kind != TEXT) to->value = it.number, to->has_value = 1;
    }
    return 0;
}

static int read_data(Reader in, Request *to) {
    Part list = next(&in), it = {.kind = FLOAT};
    if (list.kind != ARRAY && (list.kind != BIN || list.length % 8)) return MALFORMED;
    to->values = to->binary ? list.length / 8 : list.length;
    if (to->values > MOST_DATA) return TOO_LARGE;
    for (size_t i = 0; i < to->values; i++) {
        if (to->binary) memcpy(&it.number, list.raw + 8 * i, 8);
        else it = next(&in);
        if (it.kind > FLOAT || !isfinite(it.number)) return BAD_ARGUMENT;
        if (i < MOST_VALUES) to->data[i] = it.number;
    }
    return 0;
}

static int read_request(const unsigned char *raw, size_t size, Request *to) {
    Reader fields[FIELDS], data;
    int error;
    if (!split(raw, size, fields)) return MALFORMED;
    data = fields[8], to->binary = next(&data).kind == BIN;
    if ((error = read_envelope(fields, to)) || (error = read_params(fields[7], to))) return error;
    return read_data(fields[8], to);
}

static int refuse(Reply *to, int error, const char *why) {
    to->error = error, to->text = why;
    return error;
}

static int takes(const Request *from, Reply *to, size_t params, size_t values) {
    if (from->params <= params && from->values <= values) return 1;
    return !refuse(to, BAD_ARGUMENT, "the command takes fewer params or data");
}

static void gives(Reply *to, int count, const double *values) {
    to->values = count;
    memcpy(to->data, values, count * sizeof *values);
}

static void answer_motors(const Request *from, Reply *to) {
    switch (from->command) {
    case 10: if (takes(from, to, 0, 2)) command(from->data[0], from->data[1]); break;
    case 12: if (takes(from, to, 0, 0)) command(0.0, 0.0); break;
    case 13:
        if (takes(from, to, 0, 0))
            gives(to, 4, (double[]){0.5 * (robot.left + robot.right), 0.5 * (robot.right - robot.left) / robot.half_track,
                                    robot.left, robot.right});
        break;
    default: refuse(to, NO_SUCH_COMMAND, "motors have 10 set_velocity, 12 stop, 13 state");
    }
}

static void answer_odometry(const Request *from, Reply *to) {
    switch (from->command) {
    case 10: if (takes(from, to, 0, 0)) gives(to, 3, robot.odometer); break;
    case 12: if (takes(from, to, 0, 3)) memcpy(robot.odometer, from->data, sizeof robot.odometer); break;
    default: refuse(to, NO_SUCH_COMMAND, "odometry has 10 pose, 12 reset");
    }
}

static void answer_sonars(const Request *from, Reply *to) {
    double nothing[SONARS];
    for (int i = 0; i < SONARS; i++) nothing[i] = 3.0;
    if (from->command != 10) refuse(to, NO_SUCH_COMMAND, "sonars have 10 ranges");
    else if (takes(from, to, 0, 0)) gives(to, SONARS, nothing);
}

static void answer_parameter(int module, const Request *from, Reply *to) {
    const Parameter *it = parameter(MODULES[module], from->name);
    size_t is_set = from->command == SET_PARAMETER;
    if (!it) { refuse(to, NO_SUCH_COMMAND, "there is no such parameter"); return; }
    if (from->params != 1 + is_set || from->values || (is_set && !from->has_value)) { refuse(to, BAD_ARGUMENT, "a parameter takes its name and a number"); return; }
    if (is_set && !(from->value >= it->low && from->value <= it->high)) { refuse(to, BAD_ARGUMENT, "out of range"); return; }
    if (is_set) *it->value = from->value;
    to->has_param = 2, to->number = *it->value;
}

static void answer(int module, const Request *from, Reply *to) {
    static void (*const own[])(const Request *, Reply *) = {answer_motors, answer_odometry, answer_sonars};
    int is_plain = from->command == PING || from->command == DESCRIBE || from->command == STATISTICS;
    if (is_plain && !takes(from, to, 0, 0)) return;
    switch (from->command) {
    case PING:
        snprintf(to->param, sizeof to->param, "%s", KINDS[module]), to->has_param = 1;
        gives(to, 2, (double[]){robot.step, robot.step * STEP});
        break;
    case DESCRIBE: describe(module, to->param, sizeof to->param), to->has_param = 1; break;
    case GET_PARAMETER: case SET_PARAMETER: answer_parameter(module, from, to); break;
    case STATISTICS: snprintf(to->param, sizeof to->param, "{}"), to->has_param = 1; break;
    default: own[module](from, to);
    }
}

static void write_reply(const Request *from, const Reply *it, Writer *out) {
    out->length = 4;
    put(out, 0x99, 1), put_uint(out, 1), put_uint(out, from->id), put_bytes(out, from->target, from->target_length), put_uint(out, robot.step);
    put_uint(out, it->error), put_text(out, it->text ? it->text : ""), put_uint(out, from->command);
    put(out, 0x90 + (it->has_param != 0), 1);
    if (it->has_param == 1) put_text(out, it->param);
    if (it->has_param == 2) put_float(out, it->number);
    if (from->binary) {
        put(out, 0xc5, 1), put(out, 8 * it->values, 2);
        for (int i = 0; i < it->values; i++) memcpy(out->raw + out->length, &it->data[i], 8), out->length += 8;
    } else {
        put(out, 0xdc, 1), put(out, it->values, 2);
        for (int i = 0; i < it->values; i++) put_float(out, it->data[i]);
    }
    uint32_t size = htonl(out->length - 4);
    memcpy(out->raw, &size, 4);
}

/* ---- connections ---- */

typedef struct { int socket; unsigned char *raw; size_t length, room; } Client;

static Client clients[MOST_CLIENTS];
static char robot_name[64] = "robot2";

static int module_of(const Request *from) {
    size_t length = strlen(robot_name);
    if (strlen(from->target) != from->target_length || from->target[0] != '/') return -1;
    if (strncmp(from->target + 1, robot_name, length) || from->target[1 + length] != '/') return -1;
    for (int i = 0; i < 3; i++)
        if (!strcmp(from->target + 2 + length, MODULES[i])) return i;
    return -1;
}

static const char *reason(int error) {
    return error == BAD_VERSION ? "this is version 1" : error == TOO_LARGE ? "over a limit of the protocol"
           : error == BAD_ARGUMENT ? "a param is a finite number or a text, a datum a finite number" : "this is no message";
}

static void respond(Client *to, const unsigned char *raw, size_t size) {
    static Request request;
    static Reply reply;
    static Writer out;
    memset(&reply, 0, sizeof reply), memset(&request, 0, sizeof request);
    int error = raw ? read_request(raw, size, &request) : TOO_LARGE, module = module_of(&request);
    if (error) refuse(&reply, error, reason(error));
    else if (module < 0) refuse(&reply, NO_SUCH_NAME, "there is no such module here");
    else answer(module, &request, &reply);
    write_reply(&request, &reply, &out);
    if (write(to->socket, out.raw, out.length) != (ssize_t)out.length) shutdown(to->socket, SHUT_RDWR);
}

static void drop(Client *it) { close(it->socket), free(it->raw); *it = (Client){.socket = -1}; }

static int has_room(Client *it, size_t wanted) {
    if (it->room >= wanted) return 1;
    unsigned char *wider = realloc(it->raw, wanted);
    if (wider) it->raw = wider, it->room = wanted;
    return wider != NULL;
}

static void hear(Client *it) {
    ssize_t came = read(it->socket, it->raw + it->length, it->room - it->length);
    if (came <= 0) { if (came == 0 || errno != EAGAIN) drop(it); return; }
    it->length += came;
    while (it->length >= 4) {
        uint32_t size;
        memcpy(&size, it->raw, 4), size = ntohl(size);
        if (size > LARGEST || !has_room(it, 4 + (size_t)size)) { respond(it, NULL, 0), drop(it); return; }
        if (it->length < 4 + size) return;
        respond(it, it->raw + 4, size);
        it->length -= 4 + size;
        memmove(it->raw, it->raw + 4 + size, it->length);
    }
}

static void welcome(int server) {
    int made = accept(server, NULL, NULL), one = 1;
    if (made < 0) return;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(made, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < MOST_CLIENTS; i++)
        if (clients[i].socket < 0 && has_room(&clients[i], LARGEST_REPLY)) { clients[i].socket = made; return; }
    close(made);
}

static int listening(int *port) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof here;
    int made = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(made, (struct sockaddr *)&here, size) || listen(made, MOST_CLIENTS)) { perror("listen"); exit(1); }
    getsockname(made, (struct sockaddr *)&here, &size);
    *port = ntohs(here.sin_port);
    return made;
}

static int connected(const char *place) {
    char host[200] = "127.0.0.1", port[16] = "5571";
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    sscanf(place, "%199[^:]:%15s", host, port);
    if (getaddrinfo(host, port, &hints, &found)) return -1;
    int made = socket(found->ai_family, SOCK_STREAM, 0);
    if (connect(made, found->ai_addr, found->ai_addrlen)) close(made), made = -1;
    freeaddrinfo(found);
    return made;
}

/* Register the modules, or renew their lease: a name is lent for five seconds. */
static void enrol(int names, int port) {
    static Writer out;
    for (int i = 0; i < 3; i++) {
        char name[100], place[40];
        snprintf(name, sizeof name, "/%s/%s", robot_name, MODULES[i]);
        snprintf(place, sizeof place, "tcp://127.0.0.1:%d", port);
        out.length = 4;
        put(&out, 0x99, 1), put_uint(&out, 1), put_uint(&out, i + 1), put_text(&out, "/sim/names");
        put_uint(&out, 0), put_uint(&out, 0), put_text(&out, ""), put_uint(&out, 12);
        put(&out, 0x93, 1), put_text(&out, name), put_text(&out, ""), put_text(&out, place), put(&out, 0x90, 1);
        uint32_t size = htonl(out.length - 4);
        memcpy(out.raw, &size, 4);
        if (write(names, out.raw, out.length) != (ssize_t)out.length) { fprintf(stderr, "the simulation has ended\n"); exit(0); }
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static int serve(int server, int names, int port) {
    double begun = seconds(), next_renewal = begun;
    unsigned char replies[LARGEST_REPLY];
    for (;;) {
        struct pollfd ends[MOST_CLIENTS + 2] = {{.fd = server, .events = POLLIN}, {.fd = names, .events = POLLIN}};
        for (int i = 0; i < MOST_CLIENTS; i++) ends[i + 2] = (struct pollfd){.fd = clients[i].socket, .events = POLLIN};
        double wait = begun + (robot.step + 1) * STEP - seconds();
        poll(ends, MOST_CLIENTS + 2, wait > 0.0 ? 1 + (int)(1000.0 * wait) : 0);
        while (begun + (robot.step + 1) * STEP <= seconds()) move();
        if (ends[0].revents) welcome(server);
        if (ends[1].revents && read(names, replies, sizeof replies) <= 0) return 0;      /* the simulation has ended */
        for (int i = 0; i < MOST_CLIENTS; i++)
            if (ends[i + 2].revents && clients[i].socket >= 0) hear(&clients[i]);
        if (seconds() >= next_renewal) enrol(names, port), next_renewal = seconds() + RENEWAL;
    }
}

static const char USAGE[] = "usage: robot [--name NAME] [--simulation HOST:PORT] [--port PORT] [--x M] [--y M] [--heading RAD]\n"
                            "             [--delay S] [--dead-zone M/S] [--slip SHARE] [--lag S]";

static double number(const char *option, const char *word) {
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !isfinite(value)) { fprintf(stderr, "%s takes a number, got %s\n", option, word); exit(2); }
    return value;
}

static void configure(int count, char **words, const char **simulation, int *port) {
    struct { const char *word; double *value; } numbers[] = {
        {"--x", &robot.x}, {"--y", &robot.y}, {"--heading", &robot.heading}, {"--lag", &robot.lag},
        {"--delay", &robot.delay}, {"--dead-zone", &robot.dead_zone}, {"--slip", &robot.slip},
    };
    for (int i = 1; i < count; i += 2) {
        if (!strcmp(words[i], "--help")) { puts(USAGE); exit(0); }
        if (i + 1 == count) { fprintf(stderr, "%s: a value is expected behind it\n%s\n", words[i], USAGE); exit(2); }
        int known = 1;
        if (!strcmp(words[i], "--name")) snprintf(robot_name, sizeof robot_name, "%s", words[i + 1]);
        else if (!strcmp(words[i], "--simulation")) *simulation = words[i + 1];
        else if (!strcmp(words[i], "--port")) *port = atoi(words[i + 1]);
        else known = 0;
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
            if (!strcmp(words[i], numbers[j].word)) *numbers[j].value = number(words[i], words[i + 1]), known = 1;
        if (!known) { fprintf(stderr, "%s is no option\n%s\n", words[i], USAGE); exit(2); }
    }
}

int main(int count, char **words) {
    const char *simulation = getenv("COOPSIM_TCP");
    int port = 0;
    if (!simulation) simulation = "127.0.0.1:5571";
    signal(SIGPIPE, SIG_IGN);
    configure(count, words, &simulation, &port);
    robot.odometer[0] = robot.x, robot.odometer[1] = robot.y, robot.odometer[2] = robot.heading;
    for (int i = 0; i < MOST_CLIENTS; i++) clients[i].socket = -1;
    int server = listening(&port), names = connected(simulation);
    if (names < 0) { fprintf(stderr, "no simulation answers at %s\n", simulation); return 1; }
    printf("/%s answers at tcp://127.0.0.1:%d\n", robot_name, port);
    fflush(stdout);
    return serve(server, names, port);
}
