// CacheLayer.cpp: addresses and names that all layers share.
#include "runtime/cache/CacheLayer.h"

#include "runtime/Sha256.h"

#include <algorithm>

namespace kiln {

std::string EntryAddress::path() const {
  std::string hex = key.hex();
  return space + "/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".kc";
}

EntryAddress addressOf(const CacheEntry &entry) {
  EntryAddress address = {entry.kind, entry.key, spaceOf(entry.info.deviceType)};
  if (entry.kind == EntryKind::Weight)
    address.space = kWeightSpace;
  else if (entry.kind == EntryKind::Model || entry.kind == EntryKind::Digest)
    address.space = kModelSpace;
  return address;
}

std::string spaceOf(std::string_view deviceType) {
  constexpr std::string_view taken[] = {"tmp", "locks", "bad", "stats", kWeightSpace, kModelSpace};
  bool plain =
      !deviceType.empty() && deviceType.size() <= 64 &&
      deviceType.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos &&
      std::find(std::begin(taken), std::end(taken), deviceType) == std::end(taken);
  return plain ? std::string(deviceType) : "device-" + Sha256::of(deviceType).substr(0, 16);
}

std::string_view missReasonName(MissReason reason) {
  switch (reason) {
  case MissReason::Absent:
    return "absent";
  case MissReason::Unreadable:
    return "unreadable";
  case MissReason::Damaged:
    return "damaged";
  case MissReason::OtherVersion:
    return "other version";
  case MissReason::OtherFeatures:
    return "other features";
  }
  return "?";
}

std::string_view layerKindName(LayerKind kind) {
  switch (kind) {
  case LayerKind::Directory:
    return "directory";
  case LayerKind::ReadOnly:
    return "read-only";
  case LayerKind::Pack:
    return "pack";
  case LayerKind::Remote:
    return "remote";
  }
  return "?";
}

Lookup checkEntry(OwnedBytes bytes, const EntryAddress &address, std::optional<std::string_view> features,
                  EntryFault &fault) {
  Lookup lookup;
  Result<CacheEntry> entry = decodeEntry(std::move(bytes), {address.kind, address.key, features}, fault);
  if (entry.ok()) {
    lookup.entry = *std::move(entry);
    return lookup;
  }
  lookup.detail = entry.status().message();
  switch (entry.status().code()) {
  case Code::Unimplemented:
    lookup.reason = MissReason::OtherVersion;
    break;
  case Code::FailedPrecondition:
    lookup.reason = MissReason::OtherFeatures;
    break;
  case Code::ResourceExhausted:
    lookup.reason = MissReason::Unreadable;
    break;
  default:
    lookup.reason = MissReason::Damaged;
  }
  return lookup;
}

} // namespace kiln
