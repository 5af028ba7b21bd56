/* SPDX-License-Identifier: Apache-2.0
 *
 * A gateway between a topic in software (the pool) and one in hardware (spec/device/gateway.md): one publisher
 * and one subscriber on each side, the delegate, and the two directions of the gateway, which share nothing.
 * The delegate may recall what it has lent at any moment, RECALLS times. Memory is written and read in
 * steps, so that using a block too early shows. Messages of hardware have numbers from HARDWARE on.
 */

#ifndef DOWN
#define DOWN 1 /* messages of software */
#endif
#ifndef UP
#define UP 2 /* messages of hardware */
#endif
#ifndef RECALLS
#define RECALLS 1
#endif
#ifndef ROOMS
#define ROOMS 2 /* lent at a time */
#endif
#define BLOCKS (ROOMS + 2)
#define ANY_FREE (owner[0] == free || owner[1] == free || owner[2] == free || owner[BLOCKS - 1] == free)
#define HARDWARE 8
#define ALL 16

mtype = { free, filled, sending, lent, taken } /* who has a block */
mtype = { done, loop, recalled }

mtype owner[BLOCKS] = free;
byte content[BLOCKS];
byte at_software[ALL], at_hardware[ALL]; /* how often each message arrived */
byte rooms_out;
byte recalls;
bool recall;

chan pool = [DOWN + UP + 1] of { byte };    /* what the delegate may take: blocks */
chan sends = [1] of { byte };
chan sent = [2] of { byte, mtype };
chan rooms = [ROOMS] of { byte };
chan stored = [1] of { byte, mtype, byte }; /* block, why, message */
/* The hardware topic: a frame goes to its subscriber and to the gateway, in one order. */
chan to_node = [2] of { byte };
chan to_gateway = [2] of { byte };

inline deliver_software(message) {
  at_software[message]++;
  assert(at_software[message] == 1)
}

inline hardware_topic(message) {
  atomic { nfull(to_node) && nfull(to_gateway) -> to_node!message; to_gateway!message }
}

inline find_free(block) {
  block = 0;
  do
  :: block < BLOCKS && owner[block] != free -> block++
  :: else -> break
  od
}

proctype SoftwarePublisher() {
  byte number, block;
  do
  :: number < DOWN ->
     atomic {
       ANY_FREE;
       find_free(block);
       owner[block] = filled;
       number++;
       content[block] = number;
       deliver_software(number); /* the pool's own business */
       pool!block;
       block = 0
     }
  :: else -> break
  od
}

proctype HardwarePublisher() {
  byte number;
  do
  :: number < UP -> hardware_topic(HARDWARE + number); number++
  :: else -> break
  od
}

proctype HardwareSubscriber() {
  byte message;
end:
  do
  :: atomic { to_node?message ->
       at_hardware[message]++;
       assert(at_hardware[message] == 1);
       message = 0 }
  od
}

/* Software to hardware: lig_smt_sub. */
proctype ToHardware() {
  byte block, message;
end:
  do
  :: sends?block ->
     message = content[block]; /* the header, which came with the send */
     if
#ifndef MUTANT_NO_FILTER_DOWN
     :: message >= HARDWARE -> sent!block, loop
     :: recall && message < HARDWARE -> sent!block, recalled
     :: message < HARDWARE ->
#else
     :: true ->
#endif
#ifdef MUTANT_TOLD_BEFORE_READ
        sent!block, done;
#endif
        assert(content[block] == message); /* the body */
        hardware_topic(message);
#ifndef MUTANT_TOLD_BEFORE_READ
        sent!block, done
#endif
     fi;
     atomic { block = 0; message = 0 }
  od
}

/* Hardware to software: lig_smt_pub. What it chooses between is one register's decision: one step. */
proctype ToSoftware() {
  byte block, message;
end:
  do
#ifdef MUTANT_DRAINS_BLINDLY
  /* As published: while it sends, it drops the next frame of the topic, taking it for its own. */
  :: atomic { nempty(to_gateway) && nempty(sends) -> to_gateway?message; message = 0 }
#endif
#ifndef MUTANT_NO_FILTER_UP
  :: atomic { nempty(to_gateway) ->
       to_gateway?<message>;
       if
       :: message < HARDWARE -> to_gateway?message; message = 0
       :: else -> message = 0; goto choose
       fi }
#endif
  :: atomic { recall && nempty(rooms) && nfull(stored) ->
       rooms?block;
       assert(owner[block] == lent);
       stored!block, recalled, 0;
       block = 0 }
#ifdef MUTANT_NO_FILTER_UP
  :: nempty(to_gateway) -> goto choose
#endif
  od;
choose:
  do
#ifdef MUTANT_TAKE_IN_TWO_STEPS
  :: atomic { nempty(rooms) -> rooms?<block> };
     if
     :: atomic { nempty(rooms) && recall && nfull(stored) -> rooms?block; stored!block, recalled, 0 }
     :: atomic { nempty(rooms) -> rooms?block; owner[block] = taken }
     fi;
     to_gateway?message;
     break
#else
  :: atomic { !recall && nempty(rooms) ->
       rooms?block;
       assert(owner[block] == lent);
       owner[block] = taken;
       to_gateway?message };
     break
#endif
  :: atomic { recall && nempty(rooms) && nfull(stored) ->
       rooms?block;
       assert(owner[block] == lent);
       stored!block, recalled, 0;
       block = 0 }
  od;
#ifdef MUTANT_TOLD_BEFORE_WRITTEN
  stored!block, done, message;
#endif
  content[block] = message; /* memory has answered */
#ifndef MUTANT_TOLD_BEFORE_WRITTEN
  stored!block, done, message;
#endif
  atomic { block = 0; message = 0; goto end }
}

/* Software's side of the gateway. It takes every message of the pool, also those it has put there. */
proctype Delegate() {
  byte block, message;
  mtype why;
end:
  do
  :: atomic { nempty(pool) && nfull(sends) ->
       pool?block;
       owner[block] = sending;
       sends!block;
       block = 0 }
  :: atomic { sent?block, why ->
       assert(owner[block] == sending);
       if
       :: why == recalled -> pool!block; owner[block] = filled /* once more, later */
       :: else -> owner[block] = free; content[block] = 0
       fi;
       block = 0 }
  :: atomic { !recall && rooms_out < ROOMS && ANY_FREE ->
       find_free(block);
       owner[block] = lent;
       rooms_out++;
       rooms!block;
       block = 0 }
  :: atomic { stored?block, why, message ->
       rooms_out--;
       if
       :: why == done ->
          assert(owner[block] == taken && content[block] == message);
          deliver_software(message);
          owner[block] = filled;
          pool!block
       :: else ->
          assert(why == recalled && owner[block] == lent);
          owner[block] = free
       fi;
       block = 0; message = 0 }
  :: atomic { !recall && rooms_out > 0 && recalls < RECALLS -> recall = true; recalls++ }
#ifdef MUTANT_RECALL_FORGETS
  /* What was lent is taken for given back without an answer. */
  :: atomic { recall ->
       block = 0;
       do
       :: block < BLOCKS && owner[block] == lent -> owner[block] = free; rooms_out--; block++
       :: block < BLOCKS && owner[block] != lent -> block++
       :: else -> break
       od;
       block = 0; recall = false }
#endif
  :: atomic { recall && rooms_out == 0 -> recall = false }
  od
}

/* When nothing moves any more, everybody has everything once. */
proctype Monitor() {
  byte number;
  timeout;
  atomic {
    do
    :: number < DOWN -> number++; assert(at_software[number] == 1 && at_hardware[number] == 1)
    :: else -> break
    od;
    number = 0;
    do
    :: number < UP ->
       assert(at_software[HARDWARE + number] == 1 && at_hardware[HARDWARE + number] == 1);
       number++
    :: else -> break
    od;
    assert(!recall && empty(pool) && empty(sends) && empty(stored))
  }
}

init {
  atomic {
    run SoftwarePublisher();
    run HardwarePublisher();
    run HardwareSubscriber();
    run ToHardware();
    run ToSoftware();
    run Delegate();
    run Monitor()
  }
}
