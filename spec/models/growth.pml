/* SPDX-License-Identifier: Apache-2.0
 *
 * Growth by chunks and the end of a writer: a chunk is announced, ring words name it, readers map
 * it (their housekeeping, or a take that needs it) through the writer's descriptors; a writer that
 * closes keeps these until its readers have mapped all. A death at every step, joining at any time.
 * There is no time-out: the second after which a closing writer gives up would be an error here.
 */

#ifndef READERS
#define READERS 1
#endif
#ifndef SAMPLES
#define SAMPLES 3
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define RING 2
#define WRITER 2
#define BIT(k) (1 << (k))
#define at_ring(sequence) (((sequence) - 1) % RING)

mtype = { none, live, closing, gone }

/* --- shared memory --- */
byte ring_sequence[RING], ring_chunk[RING];
byte announced;              /* chunks in the writer's table */
mtype writer_row = none;     /* in its directory */
mtype reader_row[READERS] = none;
byte match[READERS];
bool row[READERS];           /* the reader has made its cursor */
byte told[READERS];          /* chunks mapped, as the cursor says */

/* --- what the kernel knows --- */
bool dead[3], closed;        /* closed: the writer's descriptors */
byte deaths;

/* --- the writer's process --- */
byte linked, published;
bool locked;
/* --- a reader's process --- */
bool opened[READERS], reader_locked[READERS];
byte mapped[READERS];        /* how many chunks it has an entry for */
byte holes[READERS];         /* bit set: entries without memory behind them */
byte next[READERS];

#define reachable (!dead[WRITER] && !closed)
#define stands(r) (reader_row[r] == live && !dead[r])

inline publish() {
  atomic { !locked -> locked = true };
  if
  :: announced == 0 || (announced < CHUNKS && published > 0) ->
#ifdef MUTANT_ANNOUNCE_AFTER_PUSH
     chunk = announced;
     late = true
#else
     chunk = announced;
     announced++ /* WriterState::announce_chunk */
#endif
  :: announced > 0 -> chunk = 0
  :: announced > 1 -> chunk = 1
  fi;
  atomic {
    published++;
    ring_sequence[at_ring(published)] = published;
    ring_chunk[at_ring(published)] = chunk;
    chunk = 0
  };
#ifdef MUTANT_ANNOUNCE_AFTER_PUSH
  atomic { announced = announced + late; late = false };
#endif
  locked = false
}

proctype Writer() {
  byte chunk;
  bool late;
  {
    writer_row = live;
    do
    :: published < SAMPLES -> publish()
    :: break
    od;
    writer_row = closing
  } unless { atomic { dead[WRITER]; chunk = 0; late = false } }
}

#ifdef MUTANT_ROWS_ONLY
#define has_mapped(r) (!row[r] || told[r] >= announced) /* who has no cursor yet is not asked */
#else
#define has_mapped(r) (row[r] && told[r] >= announced)
#endif
#if READERS > 1
#define all_mapped \
  (((linked & 1) == 0 || has_mapped(0)) && ((linked & 2) == 0 || has_mapped(1)))
#else
#define all_mapped ((linked & 1) == 0 || has_mapped(0))
#endif
inline match_reader(r) {
  atomic {
    !locked && writer_row == live && stands(r) && match[r] == 0 ->
    linked = linked | BIT(r);
    match[r] = published + 1
  }
}
#ifdef MUTANT_KEEP_DEAD
#define may_unlink(r) (reader_row[r] == gone)
#else
#define may_unlink(r) (reader_row[r] == gone || dead[r])
#endif
inline unlink(r) {
  atomic { !locked && (linked & BIT(r)) != 0 && may_unlink(r) -> linked = linked & ~BIT(r) }
}
proctype WriterHouse() {
  {
    do
    :: match_reader(0)
    :: unlink(0)
#if READERS > 1
    :: match_reader(1)
    :: unlink(1)
#endif
#ifdef MUTANT_CLOSE_AT_ONCE
    :: writer_row == closing -> break
#else
    :: writer_row == closing && all_mapped -> break /* is_mapped_by_readers */
#endif
    od;
    writer_row = gone;
    closed = true
  } unless { dead[WRITER] }
}

/* WriterLink::map_chunk: what cannot be reached becomes an entry without memory. */
inline map_one() {
  atomic {
    if
    :: reachable
    :: else -> holes[me] = holes[me] | BIT(mapped[me])
    fi;
    mapped[me]++
  }
}
inline map_chunks() {
  do
  :: atomic { mapped[me] < announced -> map_one() }
  :: atomic { mapped[me] >= announced -> break }
  od
}

proctype ReaderHouse(byte me) {
  byte index;
  bool hole;
  {
    reader_row[me] = live;
#ifdef MUTANT_CLOSING_IGNORED
    writer_row == live || writer_row == gone;
    writer_row == live || reader_row[me] != live;
#else
    writer_row == live || writer_row == closing || reader_row[me] != live;
#endif
    map_chunks(); /* open_writer */
    match[me] != 0 || reader_row[me] != live; /* activate */
    if
    :: match[me] == 0 -> goto over
    :: else
    fi;
    map_chunks();
    atomic { next[me] = match[me]; row[me] = true }; /* ReaderState::link */
    told[me] = mapped[me];
    opened[me] = true;
    do
    /* map_new_chunks: the slow part is not under the reader's lock */
    :: atomic { !reader_locked[me] && mapped[me] < announced -> index = mapped[me] };
#ifdef MUTANT_TOLD_BEFORE_MAPPED
       told[me] = index + 1;
#endif
       hole = !reachable;
       atomic { !reader_locked[me] -> reader_locked[me] = true };
       atomic {
         if
#ifdef MUTANT_NOT_COUNTED_AGAIN
         :: true ->
#else
         :: mapped[me] == index ->
#endif
            holes[me] = holes[me] | (hole << index);
            mapped[me]++
         :: else
         fi;
         assert(mapped[me] <= announced)
       };
#ifndef MUTANT_TOLD_BEFORE_MAPPED
       told[me] = mapped[me];
#endif
       atomic { index = 0; hole = false; reader_locked[me] = false }
    :: reader_row[me] != live -> break
    od;
over:
    skip
  } unless { atomic { dead[me]; index = 0; hole = false } }
}

#define has_data(r) (ring_sequence[at_ring(next[r])] >= next[r])
proctype Taker(byte me) {
  byte chunk, before;
  {
    opened[me];
    do
    :: atomic { !reader_locked[me] && has_data(me) -> reader_locked[me] = true };
       atomic {
         if
         :: ring_sequence[at_ring(next[me])] > next[me] ->
            next[me] = ring_sequence[at_ring(next[me])] - RING + 1
         :: else
         fi;
         if
         :: ring_sequence[at_ring(next[me])] == next[me] -> chunk = ring_chunk[at_ring(next[me])]
         :: else -> reader_locked[me] = false; goto again
         fi;
         before = mapped[me]
       };
       if
       :: chunk >= mapped[me] ->
          map_chunks();
#ifndef MUTANT_TAKE_UNTOLD
          told[me] = mapped[me]
#else
          skip
#endif
       :: else
       fi;
       atomic {
         assert(chunk < mapped[me]); /* else an honest writer is called corrupt */
         assert((holes[me] & BIT(chunk)) == 0 || dead[WRITER]);
         next[me]++;
         chunk = 0;
         before = 0;
         reader_locked[me] = false
       };
again:
       skip
    :: reader_row[me] = gone -> break /* closes */
    :: break                          /* or rests */
    od
  } unless { atomic { dead[me]; chunk = 0; before = 0 } }
}

proctype Killer() {
  do
  :: atomic { deaths < DEATHS && !dead[0] -> dead[0] = true; deaths++ }
  :: atomic { deaths < DEATHS && !dead[WRITER] && !closed -> dead[WRITER] = true; deaths++ }
#if READERS > 1
  :: atomic { deaths < DEATHS && !dead[1] -> dead[1] = true; deaths++ }
#endif
  :: break
  od
}

/* When nothing can happen any more, a living writer has closed, without giving up on anybody. */
active proctype Monitor() {
  timeout -> assert(dead[WRITER] || closed)
}

init {
  atomic {
    run Writer();
    run WriterHouse();
    run ReaderHouse(0);
    run Taker(0);
#if READERS > 1
    run ReaderHouse(1);
    run Taker(1);
#endif
    run Killer()
  }
}
