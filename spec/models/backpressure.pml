/* SPDX-License-Identifier: Apache-2.0
 *
 * Keep-all: a writer with two publishing threads waits for its readers (spec/wire/pool.md,
 * section 11). Joining with or without history, a death at every step, closing at any time, a
 * reader that rests, one that is stopped and continued, samples that are passed over.
 * A sleep ends by time only where the reader slept for is stopped (or already counts as stalled):
 * what the time-out would otherwise rescue is an error of this model.
 * Blocks and holds are not here: pool.pml has them, and waiting only ever delays an exchange.
 */

#ifndef RING
#define RING 2
#endif
#ifndef FIRST
#define FIRST 2 /* how many samples the first thread publishes */
#endif
#ifndef SECOND
#define SECOND 2 /* and the second */
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef KEEP_ALL
#define KEEP_ALL 1 /* bit set: which readers are keep-all; the others are keep-last */
#endif
#ifndef OWN
#define OWN 0 /* 1: reader 0 is woken by the executor that is thread 0 */
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef STOPS
#define STOPS 0 /* how often a reader may be stopped */
#endif
#ifndef PASSES
#define PASSES 0 /* how many samples may turn out expired or unreachable */
#endif

#define WRITER 2  /* index of the writer in `dead` */
#define NOBODY 3
#define BIT(r) (1 << (r))
#define at_ring(sequence) (((sequence) - 1) % RING)

/* --- shared memory --- */
byte ring[RING];       /* sequence numbers */
byte waiting;          /* in the writer's page */
byte match[READERS];   /* the match row: where the reader starts; 0: none */
bool row[READERS];     /* the reader has made its cursor */
byte cursor[READERS];  /* its `next` */
bool wants[READERS], closing[READERS];

/* --- what the kernel knows --- */
bool dead[3];
byte deaths, stops;
bool stopped[READERS];
byte sleeps_on[2] = NOBODY; /* by thread: whose cursor it sleeps on, in the kernel's queue */

/* --- private to the writer's process; guarded by its lock --- */
bool locked, finished[2];
byte published;
byte linked;              /* whom we serve */
byte known[READERS];      /* largest cursor seen */
byte stalled;
byte free_until;          /* up to here there is room for sure */

/* --- what only the assertions read --- */
byte stalled_at[READERS]; /* its cursor then */
byte taken[READERS];      /* what it has in truth passed, told or not */
byte at_check[READERS];   /* its cursor when the last look at all of them began */
bool excused[READERS];    /* something it had not taken was overwritten by rule */
byte passes;

#define position(r) (row[r] -> cursor[r] : match[r])
#define serves(r) ((linked & BIT(r)) != 0)
#define is_stalled(r) ((stalled & BIT(r)) != 0)
#define keeps_all(r) ((KEEP_ALL & BIT(r)) != 0)
#define is_own(r, thread) (OWN == 1 && (r) == 0 && (thread) == 0)
#define has_room(value) ((value) + RING > published + 1)

inline lock() { atomic { !locked -> locked = true } }

/* FUTEX_WAKE of all sleepers on one cursor. */
inline futex_wake(r) {
  atomic {
#ifdef MUTANT_WAKE_ONE
    if
    :: sleeps_on[0] == r -> sleeps_on[0] = NOBODY
    :: sleeps_on[1] == r -> sleeps_on[1] = NOBODY
    :: sleeps_on[0] != r && sleeps_on[1] != r
    fi
#else
    if
    :: sleeps_on[0] == r -> sleeps_on[0] = NOBODY
    :: else
    fi;
    if
    :: sleeps_on[1] == r -> sleeps_on[1] = NOBODY
    :: else
    fi
#endif
  }
}

/* Pace::look and what follows from it: one cursor is read, once. */
inline look_at(r) {
  value = position(r);
  if
  :: value > known[r] ->
     known[r] = value;
#ifndef MUTANT_STALLED_FOREVER
     stalled = stalled & ~BIT(r);
#endif
     if
     :: late_before == r -> out_of_time = false
     :: else
     fi
  :: else
  fi;
  if
  :: !has_room(known[r]) && !is_stalled(r) && !is_own(r, me) ->
     if
     :: out_of_time && late_before == r -> /* it has not moved all that time */
        stalled = stalled | BIT(r);
        stalled_at[r] = known[r];
        all_counted = false
     :: else ->
        late = r;
        seen = value
     fi
  :: else ->
     all_counted = all_counted && !is_stalled(r) && !is_own(r, me)
  fi;
  if
#ifdef MUTANT_BOUND_HIDES_STALLED
  :: is_stalled(r) -> all_counted = true
#endif
  :: known[r] < least -> least = known[r]
  :: else
  fi
}

/* WriterState::late_reader: under the lock, one reader after the other. */
inline look_at_all() {
  late = NOBODY;
  least = 100;
  all_counted = true;
  atomic {
    at_check[0] = position(0);
#if READERS > 1
    at_check[1] = position(1);
#endif
    slot = 0
  };
  do
  :: atomic {
       slot < READERS ->
       if
       :: serves(slot) && keeps_all(slot) -> look_at(slot)
       :: else
       fi;
       value = 0;
       slot++
     }
  :: atomic { slot == READERS ->
       slot = 0;
       out_of_time = false;
       late_before = NOBODY;
       if
       :: late == NOBODY ->
          free_until = (all_counted && linked != 0 -> least + RING - 1 : 0)
       :: else
       fi;
       least = 0;
       all_counted = false;
       break
     }
  od
}

/* P2. Nothing that a reader has not taken goes, but for those that are not waited for. */
inline check_overwrite(r) {
  if
  :: published > RING && match[r] != 0 && position(r) <= published - RING ->
     assert(!serves(r) || dead[r] || closing[r] || !keeps_all(r) || is_own(r, me) ||
            (is_stalled(r) && at_check[r] == stalled_at[r]));
     excused[r] = true
  :: else
  fi
}
inline push() {
  published++;
  check_overwrite(0);
#if READERS > 1
  check_overwrite(1);
#endif
  ring[at_ring(published)] = published
}

/* WriterState::make_room and commit. */
proctype Thread(byte me) {
  byte done, slot, value, seen, least, late = NOBODY, late_before = NOBODY;
  bool all_counted, out_of_time;
  {
    do
    :: done < (me == 0 -> FIRST : SECOND) ->
       lock();
       if
       :: atomic { published < free_until -> goto room }
       :: else
       fi;
       look_at_all();
       if
       :: late == NOBODY -> goto room
       :: else
       fi;
#if !defined(MUTANT_NO_WAIT_FLAG) && !defined(SPARE_FLAG_AFTER_LOOK)
       waiting++; /* B1: publish_waiting */
#endif
again:
#ifdef MUTANT_NO_RECHECK
       seen = position(late);
#else
       look_at_all(); /* B2 */
       if
       :: late == NOBODY ->
#ifdef MUTANT_FLAG_CLEARED
          waiting = 0;
#elif !defined(MUTANT_NO_WAIT_FLAG) && !defined(SPARE_FLAG_AFTER_LOOK)
          waiting--;
#endif
#ifdef MUTANT_CHECKED_BEFORE
          locked = false; /* what was seen is not true any more once the lock was free */
          lock();
#endif
          goto room
       :: else
       fi;
#endif
#ifdef SPARE_FLAG_AFTER_LOOK
       waiting++;
#endif
       locked = false; /* publish_before_futex */
       if
       :: atomic { !row[late] -> skip } /* nothing to sleep on yet: a nap, and another look */
       :: atomic { row[late] && cursor[late] == seen -> sleeps_on[me] = late };
          if
          :: sleeps_on[me] == NOBODY
          :: atomic { sleeps_on[me] != NOBODY && (stopped[late] || is_stalled(late)) ->
               sleeps_on[me] = NOBODY; out_of_time = true; late_before = late }
          fi
       :: atomic { row[late] && cursor[late] != seen -> skip } /* EAGAIN */
       fi;
       atomic {
         !locked -> locked = true;
#ifdef MUTANT_TIMEOUT_STALLS
         if
         :: out_of_time ->
            stalled = stalled | BIT(late);
            stalled_at[late] = position(late);
            assert(seen == stalled_at[late]); /* only who has not moved */
            out_of_time = false
         :: else
         fi;
#endif
#ifndef MUTANT_NO_RECHECK
         late = NOBODY;
#endif
         seen = 0
       };
#ifdef SPARE_FLAG_AFTER_LOOK
       waiting--;
#endif
#ifdef MUTANT_NO_RECHECK
       look_at_all();
       if
       :: late == NOBODY -> waiting--; goto room
       :: else
       fi;
#endif
       goto again;
room:
       atomic { push(); done++; late = NOBODY; seen = 0; at_check[0] = 0; locked = false }
    :: done == (me == 0 -> FIRST : SECOND) -> break
    od;
    finished[me] = true
  } unless {
    atomic {
      dead[WRITER];
      done = 0; slot = 0; value = 0; seen = 0; least = 0; late = NOBODY; late_before = NOBODY;
      all_counted = false; out_of_time = false; sleeps_on[me] = NOBODY
    }
  }
}

/* The writer's housekeeping: WriterState::link, mark_closing, unlink, each under the lock; then
 * wake_sleepers, which wakes until nobody is left who slept, or was about to, for that reader. */
#ifdef MUTANT_NO_WAKE_ON_CLOSE
#define wakes_for(r) (dead[r])
#else
#define wakes_for(r) (dead[r] || closing[r])
#endif
inline housekeeping(r) {
  atomic {
    !locked && wants[r] && match[r] == 0 && !closing[r] && !dead[r] ->
    linked = linked | BIT(r);
#ifndef MUTANT_LINK_KEEPS_BOUND
    free_until = 0;
#endif
    if
    :: match[r] = published + 1
    :: published > 0 -> match[r] = (published > RING -> published - RING + 1 : 1)
    fi;
    known[r] = match[r]
  }
}
inline bury(r) {
#ifdef MUTANT_WAKE_BEFORE_UNLINK
  atomic { serves(r) && wakes_for(r) };
  futex_wake(r);
  atomic { !locked -> linked = linked & ~BIT(r) }
#else
  atomic { !locked && serves(r) && (dead[r] || closing[r]) -> linked = linked & ~BIT(r) };
#ifdef MUTANT_WAKE_ONCE
  futex_wake(r)
#else
  skip
#endif
#endif
}
#if defined(MUTANT_NO_WAKE_ON_DEATH) || defined(MUTANT_WAKE_ONCE) || \
    defined(MUTANT_WAKE_BEFORE_UNLINK)
#define left_asleep(r) false
#else
#define left_asleep(r) \
  (match[r] != 0 && !serves(r) && wakes_for(r) && (sleeps_on[0] == r || sleeps_on[1] == r))
#endif
proctype Housekeeping() {
  do
  :: housekeeping(0)
  :: bury(0)
  :: atomic { left_asleep(0) -> futex_wake(0) }
#if READERS > 1
  :: housekeeping(1)
  :: bury(1)
  :: atomic { left_asleep(1) -> futex_wake(1) }
#endif
  od unless { dead[WRITER] }
}

/* B3, then B4. */
inline tell_cursor() {
#ifdef MUTANT_CURSOR_AFTER_WAKE
  somebody = (waiting != 0);
  if
  :: atomic { somebody -> futex_wake(me); somebody = false }
  :: atomic { !somebody -> skip }
  fi;
  cursor[me] = next
#else
#ifndef MUTANT_CURSOR_BEFORE_REREAD
  cursor[me] = next;
#endif
  somebody = (waiting != 0); /* take_cursor_written */
  if
  :: atomic { somebody -> futex_wake(me); somebody = false } /* take_before_wake */
  :: atomic { !somebody -> skip }
  fi
#endif
}

/* RingCursor::claim and ReaderState::take_from. Locals are forgotten where they mean nothing. */
proctype Reader(byte me) provided (!stopped[me] || dead[me]) {
  byte next, seen, last;
  bool somebody, moved;
  {
    wants[me] = true;
    if
    :: atomic { match[me] != 0 -> next = match[me]; last = next - 1 }
    :: dead[WRITER] || (finished[0] && finished[1]) -> goto leave
    fi;
    atomic { cursor[me] = next; taken[me] = next; row[me] = true }; /* ReaderState::link */
again:
    do
    :: atomic {
         ring[at_ring(next)] >= next ->
         seen = ring[at_ring(next)];
         if
         :: seen > next -> /* lapped */
            assert(!keeps_all(me) || excused[me]);
            assert((seen - next) % RING == 0);
            next = seen - RING + 1;
            seen = 0;
            goto again
         :: else
         fi
       };
take_hold_written:
#ifdef MUTANT_CURSOR_BEFORE_REREAD
       cursor[me] = next + 1;
#endif
       atomic {
         if
         :: ring[at_ring(next)] != seen -> seen = 0; goto again
         :: else
         fi;
         seen = 0;
         assert(next > last); /* in order, never twice */
         last = next;
         next++;
         taken[me] = next;
         if
         :: passes < PASSES -> /* expired: the take goes on to the next one */
            passes++;
            moved = true;
            if
            :: ring[at_ring(next)] >= next -> goto again
            :: else -> /* and there is none: it returns with nothing, and yet has moved */
               moved = false;
#ifdef MUTANT_PASSED_UNTOLD
               goto again
#endif
            fi
         :: true -> moved = false
         fi
       };
       tell_cursor()
    :: atomic { !moved -> goto rest }
    od;
rest:
    if
    :: goto leave
    :: goto stay /* takes no more, and does not go */
    fi;
leave:
    closing[me] = true;
stay:
    atomic { next = 0; last = 0; seen = 0; moved = false }
  } unless { atomic { dead[me]; next = 0; last = 0; seen = 0; moved = false; somebody = false } }
}

proctype Killer() {
  do
  :: atomic { deaths < DEATHS && !dead[WRITER] -> dead[WRITER] = true; deaths++ }
  :: atomic { deaths < DEATHS && !dead[0] && !closing[0] -> dead[0] = true; deaths++ }
#if READERS > 1
  :: atomic { deaths < DEATHS && !dead[1] && !closing[1] -> dead[1] = true; deaths++ }
#endif
  :: atomic { stops < STOPS && row[0] && !stopped[0] -> stopped[0] = true; stops++ }
  :: atomic { stopped[0] -> stopped[0] = false }
#if READERS > 1
  :: atomic { stops < STOPS && row[1] && !stopped[1] -> stopped[1] = true; stops++ }
  :: atomic { stopped[1] -> stopped[1] = false }
#endif
  :: break
  od
}

/* When nothing can happen any more: who sleeps, sleeps for lack of room, and for somebody who is
 * waited for; all others have published everything. */
#define well_asleep(t) \
  (sleeps_on[t] != NOBODY && serves(sleeps_on[t]) && keeps_all(sleeps_on[t]) && \
   !is_stalled(sleeps_on[t]) && (row[sleeps_on[t]] && !has_room(taken[sleeps_on[t]])))
active proctype Monitor() {
  timeout ->
  assert(dead[WRITER] || finished[0] || well_asleep(0));
  assert(dead[WRITER] || finished[1] || well_asleep(1));
  assert(dead[WRITER] || !finished[0] || !finished[1] || waiting == 0)
}

init {
  atomic {
    run Thread(0);
    run Thread(1);
    run Housekeeping();
    run Reader(0);
#if READERS > 1
    run Reader(1);
#endif
    run Killer()
  }
}
