// EntryFileTest.cpp: entries as bytes: what comes back, what is turned down and in which order.
#include "runtime/cache/EntryFile.h"

#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <random>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string compressible(size_t bytes) {
  std::string text;
  while (text.size() < bytes)
    text += "kernel " + std::to_string(text.size() % 97);
  text.resize(bytes);
  return text;
}

EntryInfo fullInfo() {
  EntryInfo info;
  info.name = "matmul_add";
  info.deviceType = "host";
  info.features = "+avx2,+fma";
  info.producer = "kiln 0.1.0; compiler 12ab";
  info.symbol = "matmul_add_12ab";
  info.arguments = "in f32, out f32";
  info.createdUnixS = 1700000000;
  info.compileUs = 12345;
  info.fields = {{"ir", "11"}, {"pipeline", "22"}};
  return info;
}

/// A compact entry with every kind of metadata, as one file.
std::string sampleFile(const std::string &payload = compressible(3000)) {
  EntryAddress address = addressOf("sample");
  return encodeEntry(address.kind, address.key, fullInfo(), spanOf(payload), EntryLayout::Compact)->whole();
}

/// The checksum made to fit again, as somebody would who means harm.
std::string resealed(std::string file) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(file.data(), file.size() - 16));
  std::memcpy(file.data() + file.size() - 16, canonical.digest, 16);
  return file;
}

template <typename T> std::string with(std::string file, size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof(value));
  return file;
}

Result<CacheEntry> decode(const std::string &file, EntryFault &fault,
                          std::optional<std::string_view> features = std::nullopt) {
  return decodeEntry(copyBytes(spanOf(file)), {EntryKind::Kernel, addressOf("sample").key, features}, fault);
}

EntryFault faultOf(const std::string &file, std::optional<std::string_view> features = std::nullopt) {
  EntryFault fault = EntryFault::None;
  Result<CacheEntry> entry = decode(file, fault, features);
  EXPECT_EQ(entry.ok(), fault == EntryFault::None);
  return fault;
}

TEST(EntryFileTest, WhatIsWrittenComesBack) {
  for (size_t size : {size_t(0), size_t(1), size_t(63), size_t(3000), size_t(1) << 20}) {
    std::string payload = compressible(size);
    EntryFault fault = EntryFault::Magic;
    ASSERT_OK_AND_ASSIGN(CacheEntry entry, decode(sampleFile(payload), fault, "+fma,+avx2,+sse2"));
    EXPECT_EQ(fault, EntryFault::None);
    EXPECT_EQ(textOf(entry.payload.bytes), payload);
    EXPECT_EQ(entry.isCompressed, size > 1);
    EXPECT_EQ(entry.info.name, "matmul_add");
    EXPECT_EQ(entry.info.deviceType, "host");
    EXPECT_EQ(entry.info.features, "+avx2,+fma");
    EXPECT_EQ(entry.info.producer, "kiln 0.1.0; compiler 12ab");
    EXPECT_EQ(entry.info.symbol, "matmul_add_12ab");
    EXPECT_EQ(entry.info.arguments, "in f32, out f32");
    EXPECT_EQ(entry.info.createdUnixS, 1700000000u);
    EXPECT_EQ(entry.info.compileUs, 12345u);
    EXPECT_EQ(entry.info.fields, fullInfo().fields);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(entry.payload.bytes.data()) % 64, 0u) << "read in place";
  }
}

TEST(EntryFileTest, PayloadsToBeMappedLieOnAPage) {
  EntryAddress address = addressOf("sample", EntryKind::Weight);
  std::string payload = compressible(10000);
  ASSERT_OK_AND_ASSIGN(EncodedEntry entry, encodeEntry(address.kind, address.key, fullInfo(), spanOf(payload),
                                                       EntryLayout::Pages));
  EXPECT_EQ(entry.head.size(), kEntryPageBytes);
  EXPECT_EQ(entry.payload().data(), spanOf(payload).data()) << "not copied";
  EntryFault fault;
  ASSERT_OK_AND_ASSIGN(CacheEntry decoded, decodeEntry(copyBytes(spanOf(entry.whole())), {}, fault));
  EXPECT_EQ(textOf(decoded.payload.bytes), payload);
}

TEST(EntryFileTest, TheFirstCheckThatFailsIsNamed) {
  // Offsets: docs/cache.md. Each file is wrong from here on in every later respect too.
  std::string file = sampleFile();
  EXPECT_EQ(faultOf("XLNC" + file.substr(4)), EntryFault::Magic);
  EXPECT_EQ(faultOf(""), EntryFault::Magic);
  EXPECT_EQ(faultOf(with(file, 4, uint16_t(2)).substr(0, 100)), EntryFault::Format);
  EXPECT_EQ(faultOf(with(with(file, 16, uint8_t(0)), 56, uint64_t(1))), EntryFault::Size);
  EXPECT_EQ(faultOf(with(file, 16, ~file[16]), "+sse2"), EntryFault::Key);
  EXPECT_EQ(faultOf(with(file, file.size() - 1, ~file.back()), "+avx2"), EntryFault::Features);
  EXPECT_EQ(faultOf(with(file, file.size() - 20, ~file[file.size() - 20]), "+avx2,+fma"),
            EntryFault::Checksum);
  EXPECT_EQ(faultOf(resealed(with(file, file.size() - 30, ~file[file.size() - 30]))), EntryFault::Payload);
}

TEST(EntryFileTest, MessagesSayWhatCameAndWhatWasExpected) {
  EntryFault fault;
  std::string file = sampleFile();
  EXPECT_THAT(
      decode(with(file, 4, uint16_t(7)), fault),
      StatusIs(Code::Unimplemented, HasSubstr("format 7, flags 1, kind 1; this Kiln reads format 1")));
  EXPECT_THAT(decode(file, fault, "+avx2"),
              StatusIs(Code::FailedPrecondition, HasSubstr("needs +fma; the device has +avx2")));
  EXPECT_THAT(decodeEntry(copyBytes(spanOf(file)), {EntryKind::Program, std::nullopt, std::nullopt}, fault),
              StatusIs(Code::DataLoss, HasSubstr("expected program")));
  EXPECT_THAT(decode(file.substr(0, file.size() - 1), fault),
              StatusIs(Code::DataLoss, HasSubstr("truncated or overwritten")));
}

TEST(EntryFileTest, EveryFlippedBitIsFound) {
  std::string file = sampleFile();
  for (size_t byte = 0; byte < file.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit)
      ASSERT_NE(faultOf(with(file, byte, static_cast<char>(file[byte] ^ 1 << bit))), EntryFault::None)
          << "byte " << byte << " bit " << bit;
}

TEST(EntryFileTest, EveryTruncationIsFound) {
  std::string file = sampleFile();
  for (size_t size = 0; size < file.size(); ++size)
    ASSERT_NE(faultOf(file.substr(0, size)), EntryFault::None) << size;
  EXPECT_EQ(faultOf(file + "x"), EntryFault::Size);
}

TEST(EntryFileTest, BombsAreNotInflated) {
  std::string zeros(1 << 20, '\0');
  std::string file = sampleFile(zeros);
  // The header may promise no more than the limit; the frame no more than the header.
  EXPECT_EQ(faultOf(resealed(with(file, 48, uint64_t(1) << 40))), EntryFault::Size);
  EXPECT_EQ(faultOf(resealed(with(file, 48, uint64_t(1000)))), EntryFault::Payload);
  // A frame that says nothing of its size is none of ours.
  std::string frame(ZSTD_compressBound(zeros.size()), '\0');
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), zeros.data(), zeros.size()));
  ZSTD_freeCCtx(context);
  uint32_t offset;
  std::memcpy(&offset, file.data() + 12, sizeof(offset));
  std::string forged = file.substr(0, offset) + frame + std::string(16, '\0');
  EXPECT_EQ(faultOf(resealed(with(forged, 56, uint64_t(frame.size())))), EntryFault::Payload);
}

TEST(EntryFileTest, ForgedHeadersAndMetadataOnlyEverFail) {
  std::string file = sampleFile();
  std::mt19937_64 random(7);
  size_t read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string forged = file;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits)
      forged[random() % 300] = static_cast<char>(random());
    if (random() % 4 == 0)
      forged.resize(random() % forged.size());
    if (forged.size() > 16)
      forged = resealed(std::move(forged));
    EntryFault fault;
    Result<CacheEntry> entry = decodeEntry(copyBytes(spanOf(forged)), {}, fault);
    read += entry.ok();
    (void)describeEntry(spanOf(forged).first(std::min<size_t>(forged.size(), 128)), forged.size(), fault);
  }
  EXPECT_GT(read, 0u) << "some edits change only what is free: names, the key";
}

TEST(EntryFileTest, UnknownRecordsArePassedOver) {
  EntryAddress address = addressOf("sample");
  EntryInfo info;
  info.name = "n";
  std::string file = encodeEntry(address.kind, address.key, info, {}, EntryLayout::Compact)->whole();
  EXPECT_EQ(file[64], 1) << "the tag of the name";
  EntryFault fault;
  ASSERT_OK_AND_ASSIGN(CacheEntry entry, decode(resealed(with(file, 64, uint16_t(4711))), fault));
  EXPECT_EQ(entry.info.name, "");
}

TEST(EntryFileTest, TooMuchMetadataIsRefused) {
  EntryInfo info;
  info.name.resize((1 << 20) + 1);
  EXPECT_THAT(encodeEntry(EntryKind::Kernel, {}, info, {}, EntryLayout::Compact),
              StatusIs(Code::InvalidArgument, HasSubstr("bytes of metadata")));
}

TEST(EntryFileTest, AListingNeedsTheBeginningOnly) {
  std::string file = sampleFile(compressible(100000));
  EntryFault fault;
  ASSERT_OK_AND_ASSIGN(CacheEntry entry, describeEntry(spanOf(file).first(512), file.size(), fault));
  EXPECT_EQ(entry.info.name, "matmul_add");
  EXPECT_EQ(entry.key, addressOf("sample").key);
  EXPECT_THAT(describeEntry(spanOf(file).first(80), file.size(), fault),
              StatusIs(Code::DataLoss, HasSubstr("inside the metadata")));
}

TEST(EntryKeyTest, IsSixtyFourLowerCaseDigits) {
  std::string hex = addressOf("x").key.hex();
  EXPECT_EQ(EntryKey::fromHex(hex)->hex(), hex);
  EXPECT_EQ(EntryKey::fromHex(hex.substr(1)), std::nullopt);
  EXPECT_EQ(EntryKey::fromHex(std::string(64, 'G')), std::nullopt);
}

TEST(EntryKeyTest, MissingFeaturesAreThoseThatTheDeviceLacks) {
  EXPECT_EQ(missingFeatures("", "+a"), "");
  EXPECT_EQ(missingFeatures("+a,+b", "+b,+c,+a"), "");
  EXPECT_EQ(missingFeatures("+a,+b,,+d", "+b"), "+a,+d");
}

} // namespace
} // namespace kiln
