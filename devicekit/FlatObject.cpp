// FlatObject.cpp: LLVM code generation, then a linker of one object: sections laid out in one image, calls
// that leave it through stubs and slots.
#include "devicekit/Passes.h"
#include "kiln/devicekit/ReferenceCodegen.h"

#include "kiln/jit/KernelSignature.h"
#include "kiln/sdk/FlatKernel.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace kiln;

namespace {

using Elf = llvm::object::ELF64LE;

LogicalResult generate(ModuleOp module, const jit::Target &target, SmallVectorImpl<char> &object) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!llvmTarget || !llvm::Triple(target.triple).isX86())
    return module.emitError("target '") << target.triple << "': the reference lowering is for x86-64";
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      target.triple, target.arch, target.featureString(), {}, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "kernel");
  if (!code)
    return module.emitError("kernel has no LLVM form");
  code->setTargetTriple(target.triple);
  code->setDataLayout(machine->createDataLayout());
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile))
    return module.emitError("target machine cannot emit objects");
  passes.run(*code);
  return success();
}

/// Links one relocatable object. Used once.
class FlatLinker {
public:
  FlatLinker(ModuleOp module, llvm::StringRef object) : module(module), object(object) {}

  FailureOr<std::vector<uint8_t>> link(llvm::StringRef entry) {
    auto file = llvm::object::ELFFile<Elf>::create(object);
    if (!file)
      return fail(llvm::toString(file.takeError()));
    auto sections = file->sections();
    if (!sections)
      return fail(llvm::toString(sections.takeError()));
    layOut(*file, *sections);
    uint64_t entryOffset = UINT64_MAX;
    for (const Elf::Shdr &section : *sections) {
      if (section.sh_type == llvm::ELF::SHT_SYMTAB &&
          failed(readSymbols(*file, *sections, section, entry, entryOffset)))
        return failure();
    }
    for (const Elf::Shdr &section : *sections)
      if (section.sh_type == llvm::ELF::SHT_RELA && failed(relocate(*file, section)))
        return failure();
    if (entryOffset == UINT64_MAX)
      return fail("no entry '" + entry + "'");
    return pack(entryOffset);
  }

private:
  LogicalResult fail(const llvm::Twine &what) { return module.emitError("kernel object: ") << what.str(); }

  // Exception tables are left out: generated code neither throws nor is unwound.
  void layOut(const llvm::object::ELFFile<Elf> &file, llvm::ArrayRef<Elf::Shdr> sections) {
    starts.assign(sections.size(), UINT64_MAX);
    for (auto [i, section] : llvm::enumerate(sections)) {
      llvm::Expected<llvm::StringRef> name = file.getSectionName(section);
      bool isTable = !name || *name == ".eh_frame";
      llvm::consumeError(name.takeError());
      if (!(section.sh_flags & llvm::ELF::SHF_ALLOC) || isTable)
        continue;
      image.resize(llvm::alignTo(image.size(), std::max<uint64_t>(section.sh_addralign, 1)));
      starts[i] = image.size();
      image.resize(image.size() + section.sh_size);
      if (section.sh_type != llvm::ELF::SHT_NOBITS)
        std::memcpy(image.data() + starts[i], object.data() + section.sh_offset, section.sh_size);
    }
  }

  LogicalResult readSymbols(const llvm::object::ELFFile<Elf> &file, llvm::ArrayRef<Elf::Shdr>,
                            const Elf::Shdr &table, llvm::StringRef entry, uint64_t &entryOffset) {
    auto list = file.symbols(&table);
    auto names = file.getStringTableForSymtab(table);
    if (!list || !names) {
      llvm::consumeError(list.takeError());
      llvm::consumeError(names.takeError());
      return fail("unreadable symbols");
    }
    for (const Elf::Sym &symbol : *list) {
      llvm::StringRef name = llvm::cantFail(symbol.getName(*names));
      bool isDefined = symbol.st_shndx != llvm::ELF::SHN_UNDEF && symbol.st_shndx < starts.size() &&
                       starts[symbol.st_shndx] != UINT64_MAX;
      symbols.push_back({name.str(), isDefined ? starts[symbol.st_shndx] + symbol.st_value : UINT64_MAX});
      if (isDefined && name == entry)
        entryOffset = symbols.back().offset;
    }
    return success();
  }

  // The slot that the loader fills with a function's address, and the stub that jumps there.
  struct Import {
    uint64_t stub, slot;
  };
  const Import &import(const std::string &name) {
    auto [it, isNew] = imports.try_emplace(name);
    if (isNew) {
      image.resize(llvm::alignTo(image.size(), 8));
      it->second = {image.size() + 8, image.size()};
      image.resize(image.size() + 16);
      image[it->second.stub] = 0xff; // jmp *slot(%rip)
      image[it->second.stub + 1] = 0x25;
      llvm::support::endian::write32le(&image[it->second.stub + 2],
                                       static_cast<uint32_t>(it->second.slot - (it->second.stub + 6)));
    }
    return it->second;
  }

  LogicalResult relocate(const llvm::object::ELFFile<Elf> &file, const Elf::Shdr &section) {
    if (section.sh_info >= starts.size() || starts[section.sh_info] == UINT64_MAX)
      return success(); // of a section that is not in the image
    auto relocations = file.relas(section);
    if (!relocations)
      return fail(llvm::toString(relocations.takeError()));
    for (const Elf::Rela &relocation : *relocations) {
      const Symbol &symbol = symbols[relocation.getSymbol(false)];
      uint64_t place = starts[section.sh_info] + relocation.r_offset, target = symbol.offset;
      switch (relocation.getType(false)) {
      case llvm::ELF::R_X86_64_PC32:
      case llvm::ELF::R_X86_64_PLT32:
        target = target == UINT64_MAX ? import(symbol.name).stub : target;
        break;
      case llvm::ELF::R_X86_64_GOTPCREL:
      case llvm::ELF::R_X86_64_GOTPCRELX:
      case llvm::ELF::R_X86_64_REX_GOTPCRELX:
        if (target != UINT64_MAX)
          return fail("a table entry for '" + llvm::Twine(symbol.name) + "', which is in the object");
        target = import(symbol.name).slot;
        break;
      default:
        return fail("relocation type " + llvm::Twine(relocation.getType(false)) +
                    "; expected PC-relative ones");
      }
      llvm::support::endian::write32le(&image[place],
                                       static_cast<uint32_t>(target + relocation.r_addend - place));
    }
    return success();
  }

  std::vector<uint8_t> pack(uint64_t entryOffset) {
    std::string names;
    std::vector<sdk::FlatImport> table;
    for (const auto &[name, import] : imports) {
      table.push_back({static_cast<uint32_t>(import.slot), static_cast<uint32_t>(names.size())});
      names += name;
      names.push_back('\0');
    }
    sdk::FlatHeader header = {{'K', 'F', 'L', 'T'},
                              sdk::kFlatVersion,
                              static_cast<uint32_t>(image.size()),
                              static_cast<uint32_t>(entryOffset),
                              static_cast<uint32_t>(table.size()),
                              static_cast<uint32_t>(names.size())};
    std::vector<uint8_t> result;
    auto append = [&](const void *data, size_t bytes) {
      result.insert(result.end(), static_cast<const uint8_t *>(data),
                    static_cast<const uint8_t *>(data) + bytes);
    };
    append(&header, sizeof header);
    append(table.data(), table.size() * sizeof(sdk::FlatImport));
    append(names.data(), names.size());
    append(image.data(), image.size());
    return result;
  }

  struct Symbol {
    std::string name;
    uint64_t offset; // in the image; UINT64_MAX if undefined
  };
  ModuleOp module;
  llvm::StringRef object;
  std::vector<uint8_t> image;
  std::vector<uint64_t> starts; // of sections; UINT64_MAX if not in the image
  std::vector<Symbol> symbols;
  std::map<std::string, Import> imports;
};

} // namespace

LogicalResult devicekit::emitFlatObject(ModuleOp module, const jit::Target &target, llvm::StringRef format,
                                        jit::KernelObjectBuilder &object) {
  LLVM::LLVMFuncOp entry;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func->hasAttr("kiln.kernel"))
      entry = func;
  auto signature = entry ? entry->getAttrOfType<TypeAttr>(kSignatureAttr) : TypeAttr();
  if (!signature)
    return module.emitError("expected an llvm.func with the attributes kiln.kernel and kiln.signature");
  object.format = format.str();
  object.symbol = entry.getName().str();
  object.codeTemplate = "reference";
  if (failed(jit::describeSignature(entry.getLoc(), cast<FunctionType>(signature.getValue()), object)))
    return failure();
  for (const auto &binding : object.bindings)
    if (binding.dtype == KILN_I4 || binding.dtype == KILN_U4)
      return module.emitError("the reference lowering does not hold packed 4-bit elements");
  SmallVector<char> elf;
  if (failed(generate(module, target, elf)))
    return failure();
  FailureOr<std::vector<uint8_t>> flat = FlatLinker(module, {elf.data(), elf.size()}).link(object.symbol);
  if (failed(flat))
    return failure();
  object.object = std::move(*flat);
  return success();
}
