/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining, meeting, matching and dying: processes take slots, announce themselves, find the others
 * and match their endpoints, with notices that only say "look again". A death at every step, and a
 * slot that passes from a dead process to a late joiner. There is no rescan here: what the rescan
 * would rescue is an error of this model.
 */

#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define NOBODY 7
#define BIT(p) (1 << (p))
#define WRITER 0 /* process 0 has the writer; the others have a reader each */

/* What other processes and the kernel see; one bit per process where a byte is a set. */
byte slot_owner[PROCESSES];   /* mailbox names: the reservation of the slot */
byte listener[PROCESSES];     /* by slot: who can be found there */
bool mail[PROCESSES];         /* by slot: a datagram waits */
byte ready;                   /* whose directory is complete */
byte generation;              /* whose directory says that it has changed (each changes once) */
byte rows;                    /* whose endpoint is in its directory */
byte match_rows;              /* readers that the writer serves: it reads their holds */
byte connected[PROCESSES];    /* accept queues */
byte dead, deaths;

/* Private to a process, shared by its threads. */
byte slot_of[PROCESSES];
byte knows[PROCESSES];        /* peers_ */
byte tell[PROCESSES];         /* notify_ */
bool poked[PROCESSES], locked[PROCESSES], running[PROCESSES];
byte taking;                  /* readers that take */

#define is_dead(p) ((dead & BIT(p)) != 0)

/* Rendezvous::scan and attach, one slot after the other. */
inline scan_slots() {
  do
  :: s < PROCESSES ->
     atomic {
       peer = listener[s];
       if
       :: peer != NOBODY && peer != me ->
          assert((ready & BIT(peer)) != 0); /* what can be found is complete */
          knows[me] = knows[me] | BIT(peer);
          connected[peer] = connected[peer] | BIT(me)
       :: else
       fi;
       peer = 0;
       s++
     }
  :: atomic { s == PROCESSES -> s = 0; break }
  od
}

/* DomainState::match_all: refresh every known directory, then match. */
inline match_all() {
  do
  :: s < PROCESSES ->
     atomic {
       /* PeerDirectory::refresh: rows are read again only if the generation has moved */
       fresh = ((knows[me] & BIT(s)) != 0 && (generation & ~seen_generation & BIT(s)) != 0);
       seen_generation = seen_generation | (generation & knows[me] & BIT(s))
     };
     atomic {
       if
       :: fresh -> seen_rows = seen_rows | (rows & BIT(s))
       :: else
       fi;
       fresh = false;
       s++
     }
  :: atomic { s == PROCESSES -> s = 0; break }
  od;
  atomic {
    seen_rows = seen_rows & knows[me];
    if
    :: me == WRITER && (rows & BIT(me)) != 0 ->
       /* link_reader: serve it, say so, tell it */
       tell[me] = tell[me] | (seen_rows & ~match_rows);
       match_rows = seen_rows
    :: me != WRITER && (rows & BIT(me)) != 0 && (seen_rows & BIT(WRITER)) != 0 ->
       /* activate: only once the writer has said so */
       taking = taking | (match_rows & BIT(me))
    :: else
    fi
  }
}

inline send_notifications() {
  do
  :: s < PROCESSES ->
     atomic {
       if
       :: (tell[me] & BIT(s)) != 0 && slot_owner[slot_of[s]] != NOBODY -> mail[slot_of[s]] = true
       :: else
       fi;
       s++
     }
  :: atomic { s == PROCESSES -> s = 0; tell[me] = 0; break }
  od
}

/* DomainState::join, then the housekeeping thread. */
proctype House(byte me) {
  byte s, peer, seen_generation, seen_rows;
  bool fresh;
  {
    /* take_slot: binding the mailbox's name reserves the slot */
    atomic {
      do
      :: slot_owner[s] != NOBODY -> s++
      :: else -> break
      od;
      slot_owner[s] = me;
      slot_of[me] = s;
      mail[s] = false;
      s = 0
    };
#ifdef MUTANT_SCAN_FIRST
    scan_slots();
#endif
#ifdef MUTANT_ANNOUNCE_EARLY
    listener[slot_of[me]] = me;
    ready = ready | BIT(me);
#else
    ready = ready | BIT(me);      /* directory_.open */
    listener[slot_of[me]] = me;   /* announce */
#endif
#ifndef MUTANT_SCAN_FIRST
    scan_slots();
#endif
    atomic { running[me] = true; poked[me] = true };
    do
    :: mail[slot_of[me]] || connected[me] != 0 || poked[me] || (knows[me] & dead) != 0 ->
#ifndef MUTANT_DRAIN_LAST
       atomic { poked[me] = false; mail[slot_of[me]] = false };
#endif
       atomic { !locked[me] -> locked[me] = true };
       atomic { /* meet_newcomers, bury_the_dead */
         knows[me] = knows[me] | connected[me];
#ifndef MUTANT_NEWCOMER_UNTOLD
         tell[me] = tell[me] | connected[me]; /* it may have looked before we changed */
#endif
         connected[me] = 0;
         knows[me] = knows[me] & ~dead
       };
       match_all();
       send_notifications();
       locked[me] = false;
#ifdef MUTANT_DRAIN_LAST
       atomic { poked[me] = false; mail[slot_of[me]] = false }
#endif
    od
  } unless { atomic { is_dead(me); s = 0; peer = 0; seen_generation = 0; seen_rows = 0; fresh = false } }
}

/* Another thread of the process creates the endpoint at some time. */
proctype Main(byte me) {
  {
    atomic { running[me] && !locked[me] -> locked[me] = true };
#ifdef MUTANT_GENERATION_FIRST
    generation = generation | BIT(me);
    rows = rows | BIT(me);
#else
    rows = rows | BIT(me);             /* Directory::set */
    generation = generation | BIT(me); /* raise_generation */
#endif
    atomic { tell[me] = tell[me] | knows[me]; poked[me] = true; locked[me] = false }
  } unless { is_dead(me) }
}

/* The kernel closes what a dead process had. */
proctype Killer() {
  byte p;
  do
  :: atomic {
       deaths < DEATHS ->
       if
       :: !is_dead(0) -> p = 0
       :: !is_dead(1) -> p = 1
#if PROCESSES > 2
       :: !is_dead(2) -> p = 2
#endif
       fi;
       dead = dead | BIT(p);
       deaths++;
       knows[p] = 0; tell[p] = 0; connected[p] = 0; poked[p] = false; locked[p] = false;
       if
       :: slot_owner[slot_of[p]] == p ->
          slot_owner[slot_of[p]] = NOBODY;
          listener[slot_of[p]] = NOBODY;
          mail[slot_of[p]] = false
       :: else
       fi;
       p = 0
     }
  :: break
  od
}

/* When nothing can happen any more, every living writer serves every living reader, which takes,
 * and nobody counts a dead process among its peers. */
#define matched(reader) \
  (is_dead(WRITER) || is_dead(reader) || \
   ((match_rows & BIT(reader)) != 0 && (taking & BIT(reader)) != 0))
active proctype Monitor() {
  timeout ->
  assert(matched(1));
#if PROCESSES > 2
  assert(matched(2));
#endif
  assert(is_dead(WRITER) || (match_rows & dead) == 0);
  assert((knows[0] & dead) == 0 && (knows[1] & dead) == 0)
}

init {
  byte i;
  atomic {
    do
    :: i < PROCESSES -> slot_owner[i] = NOBODY; listener[i] = NOBODY; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < PROCESSES -> run House(i); run Main(i); i++
    :: else -> break
    od;
    i = 0;
    run Killer()
  }
}
