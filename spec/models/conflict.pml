/* SPDX-License-Identifier: Apache-2.0
 *
 * Two runs that want one domain name (spec/wire/pool.md, section 8, 3): processes of different runs
 * take slots, find each other and settle who goes on, with a death at every step and a slot that
 * passes to a later process. Nobody is so slow that his patience ends (settle_ns): that would only
 * make one more give up.
 */

#ifndef PROCESSES
#define PROCESSES 3 /* process p is of run RUN(p) */
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define NOBODY 7
#define RUN(p) ((p) % 2)

mtype = { absent, joining, joined, leaving };

/* --- what other processes and the kernel see --- */
mtype state[PROCESSES] = absent;
byte defers_to[PROCESSES] = NOBODY;
byte slot_owner[PROCESSES] = NOBODY, listener[PROCESSES] = NOBODY;
byte slot_of[PROCESSES];
bool dead[PROCESSES], over[PROCESSES]; /* over: refused, and gone */
byte deaths;

#define is_there(p) (!dead[p] && !over[p])
/* Both have joined and live, and are of different runs. */
#define clash(p, q) \
  (is_there(p) && is_there(q) && RUN(p) != RUN(q) && state[p] == joined && state[q] == joined)

inline give_up_slot(p) {
  if
  :: slot_owner[slot_of[p]] == p -> slot_owner[slot_of[p]] = NOBODY
  :: else
  fi;
  if
  :: listener[slot_of[p]] == p -> listener[slot_of[p]] = NOBODY
  :: else
  fi
}

inline scan() {
  do
  :: atomic { s < PROCESSES ->
       found = found | (listener[s] != NOBODY -> 1 << listener[s] : 0);
       s++ }
  :: atomic { s == PROCESSES -> s = 0; break }
  od
}

/* DomainState::join, adopt_peers, settle_conflict. */
proctype Process(byte me) {
  byte s, peer = NOBODY, found;
  mtype theirs;
  {
    atomic { /* take_slot */
      do
      :: slot_owner[s] != NOBODY -> s++
      :: else -> break
      od;
      slot_owner[s] = me;
      slot_of[me] = s;
      s = 0
    };
    state[me] = joining; /* directory_.open */
#ifdef MUTANT_SCAN_FIRST
    scan();
    listener[slot_of[me]] = me;
#else
    listener[slot_of[me]] = me; /* announce */
    scan();
#endif
    peer = 0;
    do
    :: peer < PROCESSES ->
       if
       :: atomic { peer == me || (found & (1 << peer)) == 0 || RUN(peer) == RUN(me) -> goto next_peer }
       :: else
       fi;
again:
       if
       :: atomic { !is_there(peer) -> /* its pidfd says so */
            defers_to[me] = NOBODY;
            goto next_peer }
       :: atomic { is_there(peer) -> theirs = state[peer] }; /* join_looked */
          if
          :: atomic { theirs == leaving -> defers_to[me] = NOBODY; goto next_peer }
          :: atomic { theirs == joined -> state[me] = leaving; goto refused }
          :: else
          fi;
          if
#ifdef MUTANT_LOWER_JUST_GOES_ON
          :: atomic { slot_of[me] < slot_of[peer] -> goto next_peer }
#elif defined(MUTANT_ANY_DEFERENCE)
          :: atomic { slot_of[me] < slot_of[peer] && defers_to[peer] != NOBODY -> goto next_peer }
#else
          :: atomic { slot_of[me] < slot_of[peer] && defers_to[peer] == me -> goto next_peer }
#endif
          :: else ->
             atomic {
#ifdef MUTANT_HIGHER_GOES_ON
               if
               :: slot_of[me] > slot_of[peer] -> goto next_peer
               :: else
               fi;
#endif
               defers_to[me] = (slot_of[me] < slot_of[peer] -> NOBODY : peer) /* join_undecided */
             };
             /* looks again once something has changed: this merges states, and hides nothing */
             !is_there(peer) || state[peer] != joining ||
               (slot_of[me] < slot_of[peer] && defers_to[peer] == me)
          fi
       fi;
       goto again;
next_peer:
       atomic { peer++; theirs = absent }
    :: peer == PROCESSES -> break
    od;
    atomic {
      state[me] = joined;
      s = 0;
      do
      :: s < PROCESSES ->
         assert(s == me || !clash(me, s));
         s++
      :: else -> break
      od;
      s = 0; peer = 0; found = 0
    };
    goto done;
refused:
    atomic { over[me] = true; give_up_slot(me); peer = 0; found = 0; theirs = absent };
done:
    skip
  } unless { atomic { dead[me]; give_up_slot(me); s = 0; peer = 0; found = 0; theirs = absent } }
}

proctype Killer() {
  do
  :: atomic { deaths < DEATHS && is_there(0) -> dead[0] = true; deaths++ }
  :: atomic { deaths < DEATHS && is_there(1) -> dead[1] = true; deaths++ }
#if PROCESSES > 2
  :: atomic { deaths < DEATHS && is_there(2) -> dead[2] = true; deaths++ }
#endif
  :: break
  od
}

/* When nothing can happen any more nobody waits, and unless all have died somebody has joined. */
#define settled(p) (!is_there(p) || state[p] == joined)
active proctype Monitor() {
  timeout ->
  assert(settled(0) && settled(1));
#if PROCESSES > 2
  assert(settled(2));
  assert((is_there(0) && state[0] == joined) || (is_there(1) && state[1] == joined) ||
         (is_there(2) && state[2] == joined) || deaths > 0)
#else
  assert((is_there(0) && state[0] == joined) || (is_there(1) && state[1] == joined) || deaths > 0)
#endif
}

init {
  byte p;
  atomic {
    do
    :: p < PROCESSES -> run Process(p); p++
    :: else -> break
    od;
    p = 0;
    run Killer()
  }
}
