/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared-memory topic: publish, take, hold, release, reclaim, join, leave, and a death at
 * every step. One writer, two readers, sequentially consistent memory (weak memory: ring/).
 * Steps carry the labels of the crash points in runtime/src/memory; reference.md maps them to code.
 *
 * A step here is one access to a word that another process may write or read. Everything private
 * to one process between two such accesses is one atomic step with the access before it.
 */

#ifndef RING
#define RING 2 /* capacity of the ring, in entries */
#endif
#ifndef HELD
#define HELD 1 /* max_held of each reader: 1 or 2 */
#endif
#ifndef SAMPLES
#define SAMPLES 4 /* how many samples are published */
#endif
#ifndef DEPTH
#define DEPTH RING /* keep-last of the readers; less than RING exercises the backlog rule */
#endif
#ifndef REUSE
#define REUSE 0 /* 1: large payloads of a volatile writer, what all readers have taken is retired */
#endif
#ifndef DEATHS
#define DEATHS 3 /* how many of the three processes may be killed */
#endif
#define READERS 2
/* history + loans + sum of max_held: decision 11 without its spare block, so the bound is tight. */
#ifdef MUTANT_FEW_BLOCKS
#define BLOCKS (RING + READERS * HELD)
#else
#define BLOCKS (RING + 1 + READERS * HELD)
#endif

#define WRITER 2          /* index of the writer in `dead` */
#define NONE 15           /* no block; also an empty hold word */
#define BIT(block) (1 << (block))

/* --- shared memory --- */
byte ring_sequence[RING];          /* the two halves of a ring word: read and written together */
byte ring_block[RING];
byte head;                         /* newest sequence number; written after the entry */
byte match[READERS];               /* first sequence number the reader may take; 0: no match row */
byte hold[READERS * HELD];         /* hold words, written by the reader */
byte cursor[READERS];              /* with REUSE: the reader has passed all numbers before */
byte content[BLOCKS];              /* which sample lies in the block */
bool wants[READERS];               /* the reader's directory row is live */
bool closing[READERS];             /* the reader's directory row is gone: it holds nothing */

/* --- what the kernel knows --- */
bool dead[READERS + 1];
byte deaths;

/* --- the writer's private memory --- */
byte free_blocks = BIT(BLOCKS) - 1; /* bit sets */
byte retired;
byte linked;                        /* whose hold words a scan reads */
byte published;
byte not_retired = 1;               /* blocks of samples before this one have left the ring */
bool writer_done;

#if defined(MUTANT_KEEP_DEAD)
#define may_unlink(reader) closing[reader]
#elif defined(MUTANT_NOTICE_BY_TIMEOUT)
#define may_unlink(reader) true /* somebody slow is taken for dead */
#else
#define may_unlink(reader) (dead[reader] || closing[reader])
#endif
#define alive(p) (!dead[p])
#define at_ring(sequence) (((sequence) - 1) % RING)

/* A process may be killed between any two of its steps: `unless` leaves the body at once. What it
 * leaves in its private memory means nothing; forgetting it merges states. */
proctype Killer() {
  do
  :: atomic { deaths < DEATHS && alive(0) && !closing[0] -> dead[0] = true; deaths++ }
  :: atomic { deaths < DEATHS && alive(1) && !closing[1] -> dead[1] = true; deaths++ }
  :: atomic { deaths < DEATHS && alive(WRITER) && !writer_done -> dead[WRITER] = true; deaths++ }
  :: break
  od
}

/* The writer's housekeeping: runs under the writer's lock, so only between its operations. */
inline housekeeping(reader) {
  if
  /* WriterState::link: the holds are honoured first, then the match row says so. */
  :: atomic {
       wants[reader] && match[reader] == 0 && !closing[reader] && alive(reader) ->
#ifndef MUTANT_MATCH_FIRST
       linked = linked | BIT(reader);
#endif
       if
       :: match[reader] = published + 1 /* volatile */
       :: published > 0 && !REUSE ->    /* transient-local: all of the ring */
          match[reader] = (published > RING -> published - RING + 1 : 1)
       fi;
       cursor[reader] = (REUSE -> match[reader] : 0)
     }
#ifdef MUTANT_MATCH_FIRST
  :: atomic {
       match[reader] != 0 && (linked & BIT(reader)) == 0 && !closing[reader] ->
       linked = linked | BIT(reader)
     }
#endif
  /* WriterState::unlink, on the notice of a death or when the row is gone. */
  :: atomic { may_unlink(reader) && (linked & BIT(reader)) != 0 -> linked = linked & ~BIT(reader) }
  :: true /* the thread is late, or has nothing to do */
  fi
}

/* BlockStore::reclaim: one read per hold word, then sort the retired blocks out. */
inline scan_holds() {
  do
  :: atomic {
       slot < READERS * HELD ->
       if
       :: (linked & BIT(slot / HELD)) != 0 && hold[slot] != NONE ->
          seen_held = seen_held | BIT(hold[slot])
       :: else
       fi;
#ifdef MUTANT_ONE_WORD
       slot = slot + READERS * HELD /* reads the first word only */
#else
       slot++
#endif
     }
  :: atomic { slot >= READERS * HELD -> slot = 0; break }
  od
}
/* WriterState::retire_taken: one read per cursor, then what all have passed is retired. */
inline read_cursor(reader) {
  if
  :: atomic { (linked & BIT(reader)) != 0 && cursor[reader] < taken -> taken = cursor[reader] }
  :: atomic { else -> skip }
  fi
}
inline retire_taken() {
  taken = published + 1;
  read_cursor(0);
  read_cursor(1);
  atomic {
    do
    :: not_retired < taken ->
       retired = retired | BIT(ring_block[at_ring(not_retired)]);
       not_retired++
    :: else -> break
    od;
    taken = 0
  }
}
inline sort_retired() {
  free_blocks = free_blocks | (retired & ~seen_held);
  retired = retired & seen_held;
  seen_held = 0
}

/* A block is in exactly one place: free, in the ring, or retired. None is lost, none is twice. */
inline count_blocks() {
  entry = 0;
  seen_held = 0;
  do
  :: entry < RING ->
     if
     :: ring_sequence[entry] >= not_retired ->
        assert((seen_held & BIT(ring_block[entry])) == 0);
        seen_held = seen_held | BIT(ring_block[entry])
     :: else
     fi;
     entry++
  :: else -> break
  od;
  assert((free_blocks & retired) == 0 && (free_blocks & seen_held) == 0 &&
         (retired & seen_held) == 0);
  assert((free_blocks | retired | seen_held) == BIT(BLOCKS) - 1);
  entry = 0;
  seen_held = 0
}

/* The oldest entry leaves the ring, the new one enters: one atomic exchange. */
inline exchange_entry() {
  published++;
  old = (published == not_retired + RING -> ring_block[at_ring(published)] : NONE);
  ring_sequence[at_ring(published)] = published;
  ring_block[at_ring(published)] = block;
  if
  :: old == NONE
  :: else ->
     not_retired++;
#if defined(MUTANT_NO_SCAN)
     free_blocks = free_blocks | BIT(old)
#elif defined(MUTANT_SCAN_FIRST)
     if
     :: (seen_held & BIT(old)) == 0 -> free_blocks = free_blocks | BIT(old)
     :: else -> retired = retired | BIT(old)
     fi
#elif defined(MUTANT_FORGET_RETIRED)
     if
     :: published == SAMPLES
     :: else -> retired = retired | BIT(old)
     fi
#else
     retired = retired | BIT(old)
#endif
  fi;
  old = 0;
  block = 0;
  seen_held = 0
}

proctype Writer() {
  byte block, old, slot, seen_held, entry, taken;
  {
    do
    :: published < SAMPLES ->
       housekeeping(0);
       housekeeping(1);
       /* WriterState::acquire. It may scan early; it must when no block is free. */
#if REUSE && !defined(MUTANT_CURSORS_LATE)
       retire_taken();
#endif
       if
       :: free_blocks != 0
       :: scan_holds();
#ifdef MUTANT_CURSORS_LATE
          retire_taken();
#endif
          atomic { sort_retired() }
       fi;
       atomic {
         assert(free_blocks != 0); /* the writer never waits: the bound is enough */
         do
         :: (free_blocks & BIT(block)) == 0 -> block++
         :: else -> break
         od;
         free_blocks = free_blocks & ~BIT(block);
         /* The user fills the block in place. At once is the worst moment for a reader. */
         content[block] = published + 1
       };
publish_stamped:
#ifdef MUTANT_SCAN_FIRST
       scan_holds(); /* of the block that will leave the ring; then exchanges the entry */
#endif
#if DEPTH < RING
       atomic { exchange_entry() };
publish_exchanged:
       head = published
#else
       atomic { exchange_entry(); head = published }
#endif
    :: published == SAMPLES -> break
    od;
    writer_done = true;
    /* Everybody else comes to an end and every death is noticed; then nothing may be missing. */
    atomic {
      (closing[0] || dead[0]) && (closing[1] || dead[1]);
      if
      :: may_unlink(0) -> linked = linked & ~BIT(0)
      :: else
      fi;
      if
      :: may_unlink(1) -> linked = linked & ~BIT(1)
      :: else
      fi;
      scan_holds();
      sort_retired();
      count_blocks();
      assert(retired == 0)
    }
  } unless {
    atomic {
      dead[WRITER];
      block = 0; old = 0; slot = 0; seen_held = 0; entry = 0; taken = 0;
      free_blocks = 0; retired = 0; linked = 0; not_retired = 1
    }
  }
}

/* Sequence numbers only rise, so a look at the end tells of the whole time it was held. */
inline let_go() {
  assert(content[hold[me * HELD + slot]] == mine[slot]);
  hold[me * HELD + slot] = NONE;
  mine[slot] = 0;
  holding--
}
inline forget() {
  slot = 0; seen_sequence = 0; seen_block = 0; newest = 0
}

/* RingCursor::claim, ReaderState::take and release. */
proctype Reader(byte me) {
  byte next, seen_sequence, seen_block, last, slot, newest;
  byte mine[HELD]; /* sequence number of the sample in each slot; 0: slot free */
  byte holding;
  {
    wants[me] = true;
    /* WriterLink::find_match; a writer that dies first ends it */
    if
    :: atomic { match[me] != 0 -> next = match[me] }
    :: dead[WRITER] || writer_done -> goto leave
    fi;
again:
    do
    /* take, if a slot is free and the entry is there */
    :: atomic {
         holding < HELD && ring_sequence[at_ring(next)] >= next ->
         slot = 0;
         do
         :: mine[slot] != 0 -> slot++
         :: else -> break
         od;
         seen_sequence = ring_sequence[at_ring(next)];
         seen_block = ring_block[at_ring(next)];
         if
         :: seen_sequence > next -> /* lapped: skip to the oldest that can be there */
            assert((seen_sequence - next) % RING == 0); /* else it would count as corrupt */
            next = seen_sequence - RING + 1;
            forget();
            goto again
         :: else
         fi
       };
#if DEPTH < RING
       /* RingCursor::backlog */
       if
       :: atomic {
            ring_sequence[at_ring(next + DEPTH)] >= next + DEPTH ->
            newest = 1
          };
          atomic {
            newest = head;
            next = (newest >= next + DEPTH && newest - DEPTH + 1 - next <= RING
                    -> newest - DEPTH + 1 : next + 1);
            forget();
            goto again
          }
       :: else
       fi;
#endif
#ifdef MUTANT_CURSOR_FIRST
       cursor[me] = next + 1;
#endif
#ifdef MUTANT_HOLD_AFTER
       if
       :: ring_sequence[at_ring(next)] == seen_sequence
       :: atomic { else -> forget(); goto again }
       fi;
       hold[me * HELD + slot] = seen_block;
#else
       hold[me * HELD + slot] = seen_block;
#endif
take_hold_written:
       atomic {
#if !defined(MUTANT_HOLD_AFTER) && !defined(MUTANT_NO_REREAD)
         if
         :: ring_sequence[at_ring(next)] == seen_sequence &&
            ring_block[at_ring(next)] == seen_block
         :: else -> goto overwritten
         fi;
#endif
         mine[slot] = next;
         holding++;
         assert(next > last); /* in order, and never twice */
         last = next;
#ifndef MUTANT_NO_ADVANCE
         next++;
#endif
         /* complete, and the one the entry announced */
         assert(content[seen_block] == mine[slot]);
         forget();
#if !REUSE
         goto again
#endif
       };
#if REUSE
       cursor[me] = next; /* ReaderState::tell_passed */
       goto again;
#endif
overwritten:
       atomic { hold[me * HELD + slot] = NONE; forget() }
    /* release any sample held */
    :: atomic {
         holding > 0 ->
         if /* any of them */
         :: mine[0] != 0 -> slot = 0
         :: mine[HELD - 1] != 0 -> slot = HELD - 1
         fi;
         let_go();
         forget();
         goto again /* release_word_cleared */
       }
    /* leave: when it likes to, and at the end */
    :: break
    od;
leave:
#ifdef MUTANT_LEAVE_HOLDING
    closing[me] = true;
#endif
    slot = 0;
    do
    :: atomic {
         slot < HELD ->
         if
         :: mine[slot] != 0 -> let_go()
         :: else
         fi;
         slot++
       }
    :: else -> break
    od;
    atomic { next = 0; last = 0; slot = 0; closing[me] = true }
  } unless {
    atomic {
      dead[me];
      next = 0; last = 0; holding = 0;
      forget();
      do
      :: slot < HELD -> mine[slot] = 0; slot++
      :: else -> break
      od;
      slot = 0
    }
  }
}

init {
  atomic {
    byte i = 0;
    do
    :: i < READERS * HELD -> hold[i] = NONE; i++
    :: else -> break
    od;
    i = 0;
    run Writer();
    run Reader(0);
    run Reader(1);
    run Killer()
  }
}
