/* The lane: messages that look like the last ones of their connections are received, checked, carried out and answered
 * without Python. Whatever else comes is handed back whole: Python alone decides about it.
 *
 * One thread calls lane_run, which holds no lock of the interpreter meanwhile. Tables are made by
 * coopsim/server/lane/tables.py and trusted; what comes from sockets is not. */
#define _GNU_SOURCE
#include "parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* The rest of a step that has begun is waited for this long; then Python does, since it alone minds patience. */
#define REST (10 * MS)
/* A client that takes nothing of an answer for this long [ms] has the rest sent by Python, which waits for all at once. */
#define READER 3
/* So long an answer is sent here at most: who reads a little now and then must not keep all others waiting. */
#define ANSWER (20 * MS)

/* connections */

/* Forgets so many bytes of what came. */
static void consume(lane_state *lane, lane_member *m, int64_t size) {
    m->have -= size;
    m->kept = m->scanned = 0;
    if (m->have) memmove(m->in, m->in + size, (size_t)m->have);
    else lane->busy--;
}

/* Sends an answer while its client reads; false if a part of it is left to Python. */
static bool send_answer(lane_state *lane, lane_member *m) {
    struct pollfd taker = {(int)m->fd, POLLOUT, 0};
    int64_t until = now() + ANSWER;
    do {
        int64_t size = m->out_end - m->out_at;
        ssize_t sent = send((int)m->fd, m->out + m->out_at, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent == size) {
            m->out_at = m->out_end;
            return true;
        }
        if (sent < 0 && errno != EAGAIN) break;
        m->out_at += sent > 0 ? sent : 0;
    } while (now() < until && !is_wanted(lane) && poll(&taker, 1, READER) > 0);
    lane->unsent++;
    return false;
}

/* Returns the first of the messages that are carried out with one: of a STEP, the first of its parts. */
static const lane_form *first_of(const lane_member *m, const lane_form *form) {
    return form->kind == LANE_STEP ? form - m->parts : form;
}

/* Returns whether an answer waits for the tick: nothing is left to be said for the robots of its connection. */
static bool must_hold(const lane_member *m, const lane_form *form) {
    return form->kind == LANE_STEP || (form->kind == LANE_READ && m->robots && !m->left);
}

/* Notes for which ticks commands count; one that comes within such a time does not lengthen it. */
static void note_commands(lane_state *lane, lane_member *m, const lane_form *form) {
    m->due = lane->next;
    for (const lane_form *part = first_of(m, form); part <= form; part++) {
        for (int64_t k = 0; k < part->robot_count; k++) {
            int64_t robot = part->robots[k];
            lane_span *span = lane->spans + robot;
            if (span->last < lane->next) {
                span->first = lane->next, span->last = lane->next + (uint64_t)lane->periods[robot] - 1;
                m->left--, lane->missing--;
            }
            if (span->last > m->due) m->due = span->last;
            lane->commanded[robot] = 1 + form->kind;
        }
    }
}

static bool is_complete(const lane_state *lane) { return lane->robots && !lane->missing; }

/* Permits the tick for which all commands are there. */
static void permit(lane_state *lane) {
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        if (!m->held || m->held->kind != LANE_STEP || !m->have) continue;
        for (const lane_form *part = first_of(m, m->held); part <= m->held; part++) {
            command(lane, m, part);
            ++*part->taken;
        }
        consume(lane, m, m->have);
    }
    let_tick(lane);
}

/* Returns whether a message is the next one of a STEP in parts, or has nothing to do with one. */
static bool is_in_turn(const lane_member *m, const lane_form *form) {
    if (!m->kept && form->kind != LANE_PART && form->kind != LANE_STEP) return true;
    return form == m->forms + (m->form_count - 1 - m->parts + m->kept);
}

/* Carries out a message whose bytes end there; false if Python must. */
static bool carry_out(lane_state *lane, lane_member *m, const lane_form *form, int64_t size) {
    if (!is_in_turn(m, form)) return false;
    m->numbers[m->kept] = m->number;
    if (form->kind == LANE_PART) {
        m->kept++, m->scanned = size;
        return true;
    }
    if (must_hold(m, form)) {
        if (m->have > size) return false; /* what comes after it does not wait */
        m->held = form;
    } else if (!pack(lane, m, form)) {
        return false;
    } else {
        command(lane, m, form);
    }
    note_commands(lane, m, form);
    if (form->robot_count && is_complete(lane) && !lane->is_granted) permit(lane);
    if (m->held) return true;
    ++*form->taken;
    send_answer(lane, m);
    consume(lane, m, size);
    return true;
}

/* Takes in what came; false if Python must look at it. */
static bool take(lane_state *lane, lane_member *m) {
    while (m->have > m->scanned) {
        int64_t begin = 0, from = m->scanned;
        int64_t size = frame_length(m->in + from, m->kind, m->have - from, m->in_size - from, &begin);
        if (size < 0) return false;
        if (!size || m->have - from < size) return m->have < m->in_size;
        const lane_form *form = recognise(lane, m, from + begin, from + size);
        if (!form || !carry_out(lane, m, form, from + size)) return false;
        if (m->held || lane->unsent || lane->is_granted) break; /* the rest belongs after it */
    }
    return !lane->unsent;
}

/* Receives what a connection has; false if Python must look at it. */
static bool receive(lane_state *lane, lane_member *m) {
    if (m->held) return false; /* a second one before the tick, or its end: it stays where it is */
    int64_t room = m->in_size - m->have;
    ssize_t came = recv((int)m->fd, m->in + m->have, (size_t)room, MSG_DONTWAIT);
    if (came < 0) return errno == EAGAIN || errno == EINTR;
    if (came == 0) return false; /* Python is told once more */
    if (!m->have) {
        lane->busy++;
        m->turn = lane->turns++;
    }
    m->have += came;
    return take(lane, m);
}

/* steps */

/* Begins a step, for which the last commands of some robots may count, too. */
static void begin_step(lane_state *lane) {
    lane->is_granted = lane->missing = 0;
    if (lane->robots) memset(lane->commanded, 0, sizeof(int64_t) * (size_t)lane->robots);
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        m->left = 0;
        for (int64_t robot = m->first; robot < m->first + m->robots; robot++) m->left += lane->spans[robot].last < lane->next;
        lane->missing += m->left;
    }
    lane->awaited = lane->robots; /* who rests lets the others be waited for */
}

/* Returns whether what a connection waits for is over. */
static bool is_due(const lane_state *lane, const lane_member *m) {
    return m->held && (m->held->kind == LANE_STEP ? m->due < lane->next : !must_hold(m, m->held));
}

/* Answers what waited for the tick; false if a reading has to be looked at by Python. */
static bool answer_held(lane_state *lane) {
    bool is_all = true;
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        const lane_form *form = m->held;
        if (!is_due(lane, m)) continue;
        m->held = NULL, m->answered = 0;
        if (form->kind == LANE_READ && !pack(lane, m, form)) {
            is_all = false;
            continue;
        }
        send_answer(lane, m);
        if (form->kind == LANE_STEP) continue;
        ++*form->taken;
        consume(lane, m, m->have);
    }
    return is_all;
}

/* Answers the parts of a STEP, and packs its own answer; false if Python must go on with those that are not answered. */
static bool pack_step(lane_state *lane, lane_member *m) {
    while (m->answered < m->parts) {
        m->number = m->numbers[m->answered];
        if (!pack(lane, m, m->held - m->parts + m->answered)) return false;
        m->answered++;
        if (!send_answer(lane, m)) {
            m->is_cut = 1;
            return false;
        }
    }
    if (m->parts) m->number = m->numbers[m->parts];
    return pack(lane, m, m->held);
}

/* Packs the answers of all STEPs; false if one of them is left to Python, as one that holds what no message can carry. */
static bool pack_steps(lane_state *lane) {
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        if (m->held && m->held->kind == LANE_STEP && is_due(lane, m) && !pack_step(lane, m)) return false;
    }
    return true;
}

/* Takes in what came before the tick and belongs after it; false if Python must look at it. */
static bool take_rest(lane_state *lane) {
    bool is_all = true;
    for (int64_t k = 0; k < lane->count && !lane->is_granted; k++) {
        lane_member *m = lane->members + k;
        if (m->have > m->scanned && !m->held) is_all = take(lane, m) && is_all;
    }
    return is_all;
}

/* Ends the step whose tick is permitted; is_all: whether nothing of it is left to Python. */
static int64_t end_step(lane_state *lane, bool *is_all) {
    if (!await_tick(lane)) return LANE_GRANTED;
    if (!pack_steps(lane)) {
        lane->next--;
        return LANE_GRANTED;
    }
    lane->steps++;
    begin_step(lane);
    *is_all = answer_held(lane);
    return LANE_OVER;
}

/* waiting */

/* Notes since when something is under way that others may have to wait for. */
static void note_time(lane_state *lane) {
    /* while a tick is under way nobody is late */
    bool is_under_way = !lane->is_granted && (lane->busy || lane->missing < lane->awaited);
    if (!is_under_way) lane->begun = 0;
    else if (!lane->begun) lane->begun = now();
}

/* Returns for how long to sleep [ms]; 0 = the time is over. */
static int patience(const lane_state *lane) {
    int64_t end = lane->until, at = now();
    if (lane->begun && lane->begun + REST < end) end = lane->begun + REST;
    return end <= at ? 0 : end - at > 1000 * MS ? 1000 : (int)((end - at + MS - 1) / MS);
}

/* Takes in events; returns whether there is one for Python. What comes behind a message for Python, or while a tick is under
 * way, belongs after it: it stays where it is, but Python is told of it if the tick takes long. */
static bool is_for_python(lane_state *lane, const struct epoll_event *events, int count, bool is_long) {
    bool is_later = false;
    for (int k = 0; k < count; k++) {
        int fd = events[k].data.fd;
        int64_t member = fd >= 0 && fd < lane->descriptors ? lane->member_of[fd] : -1;
        bool is_plain = member >= 0 && events[k].events == EPOLLIN;
        if (is_long && fd == lane->woken && drain(lane)) continue;
        if (is_plain && !is_long && (is_later || lane->is_granted || lane->unsent)) continue;
        if (is_plain && !is_long && receive(lane, lane->members + member)) continue;
        is_later = is_later || member >= 0;
        lane->others[2 * lane->other_count] = fd;
        lane->others[2 * lane->other_count++ + 1] = (int32_t)events[k].events;
    }
    return lane->other_count > 0 || lane->unsent;
}

static int64_t over(const lane_state *lane) { return lane->is_granted ? LANE_GRANTED : LANE_OVER; }

static int64_t run(lane_state *lane) {
    struct epoll_event events[LANE_EVENTS];
    for (bool is_long = false;;) {
        note_time(lane);
        int wait = patience(lane);
        if (!wait) return over(lane);
        if (!is_long && (lane->is_granted || is_complete(lane))) wait = 0; /* what came before a tick that needs no command */
        int count = epoll_wait((int)lane->epoll, events, LANE_EVENTS, wait);
        if (count < 0) return over(lane); /* a signal, most likely */
        bool is_foreign = is_for_python(lane, events, count, is_long), is_all = true;
        if (is_complete(lane) && !lane->is_granted && !is_foreign) permit(lane);
        is_long = false;
        while (lane->is_granted && is_all) {
            int64_t outcome = end_step(lane, &is_all);
            is_long = outcome == LANE_GRANTED && !is_foreign && is_ticking(lane);
            if (is_long) break;
            if (outcome != LANE_OVER || lane->is_single || is_wanted(lane)) return outcome;
            is_all = is_all && take_rest(lane);
        }
        if (is_foreign || !is_all || lane->unsent) return over(lane);
    }
}

/* what Python calls */

int64_t lane_run(lane_state *lane) {
    int64_t is_granted = lane->is_granted;
    lane->steps = lane->busy = lane->unsent = lane->turns = lane->begun = lane->other_count = 0;
    begin_step(lane);
    lane->awaited = lane->missing; /* of others Python knows */
    store(lane->words + lane->w_crowded, (uint64_t)lane->is_crowded);
    if (is_granted) watch_tick(lane);
    int64_t outcome = run(lane);
    store(lane->words + lane->w_crowded, 0);
    store(lane->words + lane->w_watches, 0);
    return outcome;
}

int64_t lane_interface(int64_t *state_bytes, int64_t *member_bytes, int64_t *form_bytes) {
    *state_bytes = sizeof(lane_state);
    *member_bytes = sizeof(lane_member);
    *form_bytes = sizeof(lane_form);
    return LANE_INTERFACE;
}
