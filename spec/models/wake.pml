/* SPDX-License-Identifier: Apache-2.0
 *
 * Falling asleep and being woken: one waiter (an executor), two writers in other processes that
 * look at its process's mask before they look at its bell, a
 * thread of the waiter's own process that calls wake(), and the death of a writer at every step.
 * Sleeps have no timeout here: what the timeout would rescue is an error of this model.
 */

#ifndef SAMPLES
#define SAMPLES 2 /* per writer */
#endif
#define WRITERS 2
#define SLEEPS 1 /* bit 0 of the bell word; the rest counts */

byte bell;                /* the word on the bell page */
bool mask;                /* the waiter's bit in the page's mask */
byte published[WRITERS];  /* stands for the rings */
byte taken[WRITERS];
bool wake_asked;
bool sleeping;            /* private to the waiter's process, unlike bit 0 */
byte sleeps_on;           /* the kernel's queue that the waiter is in: 0 none */
bool dead[WRITERS], noticed[WRITERS], finished[WRITERS], asked;

#define ON_BELL 1
#define GATHERED(w) (2 + w) /* moved to the word where writer w gathers whom it will wake */
inline futex_wake() { sleeps_on = (sleeps_on == ON_BELL -> 0 : sleeps_on) }
inline wake_gathered(w) { sleeps_on = (sleeps_on == GATHERED(w) -> 0 : sleeps_on) }

inline ring_bell(seen, who) { /* the writers' way: WriterState::find_sleepers, then wake */
  if
  :: atomic { !mask -> skip }
  :: atomic { mask -> skip };
     ring_word(seen, who)
  fi
}
inline ring_word(seen, who) {
  seen = bell;
  if
  :: (seen & SLEEPS) != 0 ->
     if
     :: atomic { bell == seen -> bell = (seen & ~SLEEPS) + 2 };
        /* publish_before_wake */
#ifdef MUTANT_RINGER_CLEARS_MASK
        mask = false; /* late: it may be the bit of the next sleep */
#endif
        if /* others that sleep may be found behind this one: then it is moved */
        :: true
        :: atomic { sleeps_on = (sleeps_on == ON_BELL -> GATHERED(who) : sleeps_on) };
           /* publish_gathered */
        fi;
        atomic { futex_wake(); wake_gathered(who); seen = 0 }
     :: atomic { bell != seen -> seen = 0 } /* somebody else has rung, or the waiter is awake */
     fi
  :: atomic { (seen & SLEEPS) == 0 -> seen = 0 }
  fi
}

proctype Writer(byte me) {
  byte seen;
  {
    do
    :: published[me] < SAMPLES ->
#ifdef MUTANT_RING_FIRST
       ring_bell(seen, me);
       published[me]++
#else
       published[me]++; /* publish_exchanged */
       ring_bell(seen, me)
#endif
    :: else -> break
    od;
    finished[me] = true
  } unless { atomic { dead[me]; seen = 0 } }
}

proctype Killer() {
  if
  :: atomic { !finished[0] -> dead[0] = true }
  :: atomic { !finished[1] -> dead[1] = true }
  :: true
  fi
}

inline ring_own() { /* the own process's way: WaiterState::ring */
  bell = bell + 2; /* so that a FUTEX_WAIT on its way finds another word */
  if
  :: atomic { sleeping -> futex_wake() }
  :: atomic { !sleeping -> skip }
  fi
}

/* bury_the_dead: what the dead one may have left undone is done for it. */
inline notice(w) {
#if defined(MUTANT_NOTICE_RINGS)
  ring_bell(seen, w) /* looks at bit 0, which the dead one has cleared */
#elif defined(MUTANT_NOTICE_ONLY_WAKES)
  futex_wake() /* comes before the waiter's FUTEX_WAIT, which still finds the word as announced */
#else
  ring_own();
#ifndef MUTANT_NOTICE_FORGETS_GATHERED
  wake_gathered(w)
#endif
#endif
}
proctype Housekeeping() {
  byte seen;
  do
#ifndef MUTANT_NO_NOTICE
  :: atomic { dead[0] && !noticed[0] -> noticed[0] = true };
     notice(0)
  :: atomic { dead[1] && !noticed[1] -> noticed[1] = true };
     notice(1)
  :: (finished[0] || noticed[0]) && (finished[1] || noticed[1]) -> break
#else
  :: (finished[0] || dead[0]) && (finished[1] || dead[1]) -> break
#endif
  od
}

/* Waiter::wake on another thread of the waiter's own process. */
proctype Asker() {
  wake_asked = true;
  ring_own();
  asked = true
}

/* WaiterState::look: one word after the other, then the takes of what was seen. */
inline look() {
  hit = (published[0] > taken[0]);
  hit = (hit || published[1] > taken[1]);
  hit = (hit || wake_asked)
}
inline take_all() {
  taken[0] = published[0];
  taken[1] = published[1];
  atomic { wake_asked = false; hit = false }
}
#define pending (published[0] > taken[0] || published[1] > taken[1] || wake_asked)
#define all_over ((finished[0] || dead[0]) && (finished[1] || dead[1]) && asked)

/* WaiterState::sleep. */
proctype Waiter() {
  byte announced;
  bool hit;
  do
  :: true ->
     look();
     if
     :: hit -> take_all(); goto again
     :: else
     fi;
     sleeping = true;
#ifdef SPARE_MASK_FIRST /* which of the two comes first does not matter */
     mask = true;
#endif
     atomic { bell = bell | SLEEPS; announced = bell }; /* wait_announced */
#ifndef MUTANT_MASK_LATE
     mask = true; /* wait_shown */
#endif
#ifndef MUTANT_LOOK_ONCE
     look();
#endif
#ifdef MUTANT_MASK_LATE
     mask = true;
#endif
     if
     :: hit
     :: else ->
        atomic { sleeps_on = (bell == announced -> ON_BELL : 0) }; /* FUTEX_WAIT compares and queues in one step */
        if
        :: sleeps_on == 0
        :: all_over && !pending -> break /* nothing will ever come: it may sleep */
        fi
     fi;
     mask = false;
     atomic { bell = bell & ~SLEEPS; announced = 0 };
     sleeping = false;
again:
     skip
  od
}

init {
  atomic { run Writer(0); run Writer(1); run Waiter(); run Asker(); run Housekeeping(); run Killer() }
}
