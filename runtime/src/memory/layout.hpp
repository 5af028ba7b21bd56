// SPDX-License-Identifier: Apache-2.0
/// \file The bytes that processes share: `spec/wire/pool.md` as C++ structs, one per table there.
///
/// Everything one process writes while another may read it is an atomic word; plain members are
/// written before their segment is announced and never again. Sizes and offsets are asserted here
/// and nowhere else.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ligament::pool::layout {

inline constexpr std::uint32_t version = 3;
inline constexpr std::uint32_t sample_header_version = 1;

inline constexpr std::uint64_t magic = 0x4C4F4F5047494CULL;  // "LIGPOOL", little-endian
enum class SegmentKind : std::uint32_t {
  directory = 1,
  rows = 2,
  writer = 3,
  chunk = 4,
  reader = 5,
  bell = 6,
};

inline constexpr std::size_t max_slots = 512;           // processes per domain
inline constexpr std::size_t max_ends = 64;             // matched ends of one endpoint
inline constexpr std::size_t max_chunks = 256;          // per writer: 8 bits of a block number
inline constexpr std::size_t max_chunk_blocks = 65536;  // 16 bits of a block number
inline constexpr std::size_t max_row_segments = 16;
inline constexpr std::size_t max_held_limit = 1024;
inline constexpr std::size_t max_ring = 1U << 20;
inline constexpr std::size_t bell_slots = 64;         // the first is the header
inline constexpr std::uint64_t resting = UINT64_MAX;  // a cursor of who wants nothing for now

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == 8);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::endian::native == std::endian::little, "see spec/wire/pool.md, section 13");

struct SegmentHeader {
  std::uint64_t magic;
  std::uint32_t version;
  SegmentKind kind;
  std::uint64_t process;  ///< nonce of the process that wrote it
  std::uint64_t id;       ///< of the endpoint it belongs to; 0 for directory and bell
  std::uint64_t bytes;
  std::uint64_t reserved[3];
};
static_assert(sizeof(SegmentHeader) == 64);

/// Where in its owner's descriptor table a segment is. `inode` guards against a reused number.
struct SegmentRef {
  std::atomic<std::uint32_t> fd;
  std::atomic<std::uint32_t> reserved;
  Word inode;
  Word bytes;
};
static_assert(sizeof(SegmentRef) == 24);

// --- directory: who this process is and which endpoints it has -----------------------------------

enum class ProcessState : std::uint32_t {
  none = 0,
  joining = 1,
  joined = 2,
  leaving = 3,
};

struct DirectoryPage {
  SegmentHeader header;
  char domain[64];  ///< zero-terminated
  char run_id[64];
  std::int32_t pid;
  std::uint32_t uid;
  std::uint32_t slot;
  std::atomic<std::uint32_t> state;  ///< ProcessState
  Word generation;                   ///< raised after every change of a row or a match
  SegmentRef bell;
  std::atomic<std::uint32_t> row_segments;
  std::uint32_t reserved;
  SegmentRef rows[max_row_segments];
  Word defers_to;         ///< while joining: nonce of the process of another run that goes first
  Word alive;             ///< monotonic ns, kept fresh while a writer has an automatic lease
  std::uint64_t process;  ///< which one it is, whatever its number: `os::identity_of`; 0: unknown
};
static_assert(offsetof(DirectoryPage, pid) == 192 && offsetof(DirectoryPage, generation) == 208);
static_assert(offsetof(DirectoryPage, rows) == 248 && offsetof(DirectoryPage, defers_to) == 632 &&
              offsetof(DirectoryPage, alive) == 640 && offsetof(DirectoryPage, process) == 648 &&
              sizeof(DirectoryPage) <= 4096);

enum class RowState : std::uint8_t { free = 0, live = 1, closing = 2 };
enum RowFlags : std::uint32_t { is_device = 1, is_successor = 2 };

/// One endpoint, as it is copied out of a row.
struct EndpointRow {
  std::uint64_t id = 0;  ///< endpoint_id(nonce of the process, counter)
  std::uint8_t state = 0;
  std::uint8_t kind = 0;  ///< EndpointKind
  std::uint8_t history = 0;
  std::uint8_t reliability = 0;
  std::uint8_t durability = 0;
  std::uint8_t liveliness = 0;
  std::uint16_t bell_slot = 0;  ///< readers: which word of the process's bell page
  std::uint32_t depth = 0;
  std::uint32_t max_held = 0;
  std::int64_t deadline_ns = 0;
  std::int64_t lifespan_ns = 0;
  std::int64_t liveliness_lease_ns = 0;
  std::uint64_t counter = 0;
  std::uint64_t inode = 0;  ///< of the writer or reader segment
  std::uint64_t bytes = 0;
  std::uint32_t fd = 0;
  std::uint32_t flags = 0;  ///< RowFlags
  std::uint64_t reserved[2] = {};
  std::array<std::uint8_t, 32> type_hash{};
  char topic[256] = {};
  char type_name[128] = {};
  char node[128] = {};
};
static_assert(sizeof(EndpointRow) == 640 && offsetof(EndpointRow, flags) == 76 &&
              offsetof(EndpointRow, type_hash) == 96);

/// A row in shared memory: a sequence lock over words (odd version: being written).
struct alignas(64) SharedRow {
  Word version;
  std::array<Word, sizeof(EndpointRow) / 8> words;
  std::uint64_t reserved[7];
};
static_assert(sizeof(SharedRow) == 704);

/// Row segments double in size: few pages for small processes, thousands of endpoints for large.
[[nodiscard]] constexpr std::size_t rows_in_segment(std::size_t index) {
  return std::size_t{16} << (index < 6 ? index : 6);
}
[[nodiscard]] constexpr std::size_t row_segment_bytes(std::size_t index) {
  return sizeof(SegmentHeader) + rows_in_segment(index) * sizeof(SharedRow);
}

// --- writer: control page, match table, chunk table, ring
// -----------------------------------------

struct MatchRow {
  Word reader;   ///< id of the reader whose hold rows this writer reads; 0: none
  Word start;    ///< first sequence number that reader may take
  Word granted;  ///< how many samples of history lie between start and the join point
  std::uint64_t reserved[5];
};
static_assert(sizeof(MatchRow) == 64);

struct ChunkRow {
  SegmentRef segment;
  Word block_bytes;
  Word blocks;
};
static_assert(sizeof(ChunkRow) == 40);

struct WriterSegment {
  SegmentHeader header;
  std::array<std::uint8_t, 16> gid;
  std::array<std::uint8_t, 32> type_hash;
  std::uint32_t ring_capacity;
  std::uint32_t depth;
  std::uint32_t alignment;
  std::atomic<std::uint32_t> chunks;  ///< rows of `chunk` in use
  alignas(128) Word head;             ///< newest published sequence number
  Word active;                        ///< monotonic ns of the newest publish; 0: none yet
  Word waiting;                       ///< publishes that wait for room (keep-all)
  Word asserted;                      ///< monotonic ns of the newest liveliness assertion
  Word gather;                        ///< its sleepers are moved here, to be woken at once
  alignas(128) std::array<MatchRow, max_ends> matches;
  std::array<ChunkRow, max_chunks> chunk;
  // then: Word ring[ring_capacity], at ring_offset
};
inline constexpr std::size_t ring_offset = (sizeof(WriterSegment) + 127) / 128 * 128;
static_assert(offsetof(WriterSegment, ring_capacity) == 112);
static_assert(offsetof(WriterSegment, head) == 128 && offsetof(WriterSegment, active) == 136);
static_assert(offsetof(WriterSegment, waiting) == 144 && offsetof(WriterSegment, asserted) == 152);
static_assert(offsetof(WriterSegment, gather) == 160);
static_assert(offsetof(WriterSegment, matches) == 256);
static_assert(offsetof(WriterSegment, chunk) == 4352);

/// A chunk has no header of its own (its pages are all blocks); block k starts at k * block_bytes.
enum SampleFlags : std::uint16_t { has_request = 1, has_fence = 2, is_relayed = 4 };

struct SampleHeader {
  std::uint32_t version;
  std::uint16_t header_bytes;
  std::uint16_t flags;
  std::uint64_t sequence;
  std::int64_t source_timestamp_ns;
  std::int64_t monotonic_ns;
  std::uint64_t publisher;
  std::uint64_t payload_bytes;
  std::uint32_t payload_offset;  ///< from the start of the header
  std::uint32_t segment_kind;    ///< 0: this pool; others: device memory, MCU slab (see spec)
  std::uint64_t segment_id;
  // second line: only when a flag says so
  std::array<std::uint8_t, 16> request_client;
  std::int64_t request_sequence;
  std::uint64_t fence_kind;
  std::uint64_t fence_object;
  std::uint64_t fence_value;
  std::array<std::uint8_t, 16> gid;        // constant per block
  std::array<std::uint8_t, 32> type_hash;  // constant per block
  std::uint64_t reserved[4];
};
static_assert(sizeof(SampleHeader) == 192 && offsetof(SampleHeader, request_client) == 64);
static_assert(offsetof(SampleHeader, gid) == 112 && offsetof(SampleHeader, type_hash) == 128);

// --- reader: cursors and hold rows
// ----------------------------------------------------------------

struct CursorRow {
  Word writer;  ///< id; 0: unused
  Word next;    ///< first sequence number not yet taken
  Word chunks;  ///< how many of the writer's chunks this reader has mapped
  std::uint64_t reserved;
};
static_assert(sizeof(CursorRow) == 32);

struct ReaderSegment {
  SegmentHeader header;
  std::uint32_t max_held;
  std::uint32_t reserved;
  Word working;  ///< raised while its process works for a simulated device
  std::uint64_t reserved2[6];
  std::array<CursorRow, max_ends> cursors;
  // then: Word holds[max_held], at holds_offset
};
inline constexpr std::size_t holds_offset = 2176;
static_assert(sizeof(ReaderSegment) == holds_offset && holds_offset % 128 == 0);
static_assert(offsetof(ReaderSegment, working) == 72 && offsetof(ReaderSegment, cursors) == 128);

// --- bell: one word per sleeping executor; the only page with several writers -------------------

struct alignas(64) BellWord {
  std::atomic<std::uint32_t> word;  ///< bit 0: somebody sleeps; the rest counts wake-ups
};
static_assert(sizeof(BellWord) == 64);

/// As every segment's, with one word where others have reserved bytes.
struct BellHeader {
  std::uint64_t magic;
  std::uint32_t version;
  SegmentKind kind;
  std::uint64_t process;
  std::uint64_t id;
  std::uint64_t bytes;
  Word asleep;  ///< bit k: somebody may sleep on bell slot k, look there
  std::uint64_t reserved[2];
};
static_assert(sizeof(BellHeader) == sizeof(SegmentHeader) && offsetof(BellHeader, asleep) == 40);

struct BellPage {
  BellHeader header;
  std::array<BellWord, bell_slots - 1> bells;  ///< bell slot k is bells[k - 1]
};
static_assert(sizeof(BellPage) == 4096);

// --- words ---------------------------------------------------------------------------------------

/// A ring word and a hold word have one shape: 40 bits of who or which, 24 bits of block number.
inline constexpr std::uint64_t high_mask = (std::uint64_t{1} << 40) - 1;
[[nodiscard]] constexpr std::uint64_t make_word(std::uint64_t high, std::uint32_t block) {
  return (high & high_mask) << 24 | block;
}
[[nodiscard]] constexpr std::uint64_t word_high(std::uint64_t word) { return word >> 24; }
[[nodiscard]] constexpr std::uint32_t word_block(std::uint64_t word) {
  return static_cast<std::uint32_t>(word & 0xFFFFFF);
}
/// How far `word`'s sequence number is ahead of `sequence` (40-bit arithmetic, signed).
[[nodiscard]] constexpr std::int64_t word_ahead(std::uint64_t word, std::uint64_t sequence) {
  return static_cast<std::int64_t>((word_high(word) - sequence) << 24) >> 24;
}
[[nodiscard]] constexpr std::uint32_t make_block(std::uint32_t chunk, std::uint32_t index) {
  return chunk << 16 | index;
}
[[nodiscard]] constexpr std::uint32_t block_chunk(std::uint32_t block) { return block >> 16; }
[[nodiscard]] constexpr std::uint32_t block_index(std::uint32_t block) { return block & 0xFFFF; }

/// Identity of endpoint `counter` (1, 2, ...) of the process `nonce`: anybody can check it, so a
/// process cannot claim another's.
[[nodiscard]] constexpr std::uint64_t endpoint_id(std::uint64_t nonce, std::uint64_t counter) {
  std::uint64_t x = nonce + counter * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}
/// Identity of a process: of its directory's memfd and its pid, which the kernel tells whoever
/// looks, so that a copy of it is seen to be one. `boot` keeps processes of two machines apart.
/// Never 0.
[[nodiscard]] constexpr std::uint64_t process_nonce(std::uint64_t inode, std::uint64_t pid,
                                                    std::uint64_t boot) {
  const std::uint64_t nonce = endpoint_id(inode, pid) ^ boot;
  return nonce == 0 ? 1 : nonce;
}
/// What hold words say for a writer; never 0, so that no hold word is 0 while it holds.
[[nodiscard]] constexpr std::uint64_t writer_tag(std::uint64_t id) {
  return (id & high_mask) == 0 ? 1 : id & high_mask;
}

}  // namespace ligament::pool::layout
