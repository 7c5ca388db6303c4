// HivmAttention.cpp: 128 queries a unit and 128 keys a step, as our kernel has them; but with running maxima
// and sums, since HIVM keeps a tile of a step in each memory, not rows of all keys.
#include "backends/npu/Hivm/HivmAttention.h"

#include "backends/npu/Transforms/AttentionLowering.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Ops on values that are named as they are written.
class TensorWriter {
public:
  struct Tensor {
    std::string name, type;
  };

  explicit TensorWriter(llvm::raw_ostream &os) : os(os) {}

  std::string define(const Twine &op) {
    std::string name = "%" + std::to_string(count++);
    line(name + " = " + op);
    return name;
  }
  void line(const Twine &text) { os.indent(indent) << text << '\n'; }
  std::string index(int64_t value) { return define("arith.constant " + Twine(value) + " : index"); }
  static std::string typeOf(int64_t rows, int64_t columns, StringRef element) {
    return ("tensor<" + Twine(rows) + "x" + Twine(columns) + "x" + element + ">").str();
  }
  Tensor empty(const std::string &type) { return {define("tensor.empty() : " + type), type}; }
  Tensor fill(const std::string &number, const std::string &type) {
    Tensor out = empty(type);
    return result("vbrc ins(" + Twine(number) + " : f32)", out);
  }
  /// `hivm.hir.OP ins(..) outs(..) TAIL`, its destination a new tensor.
  Tensor apply(const Twine &op, ArrayRef<Tensor> ins, const std::string &type, const Twine &tail = "") {
    return result(op + " ins(" + list(ins) + ")", empty(type), tail);
  }
  Tensor into(const Twine &op, ArrayRef<Tensor> ins, const Tensor &out, const Twine &tail = "") {
    return result(op + " ins(" + list(ins) + ")", out, tail);
  }
  void open() { indent += 2; }
  void close(const Twine &text = "}") {
    indent -= 2;
    line(text);
  }

private:
  Tensor result(const Twine &op, const Tensor &out, const Twine &tail = "") {
    return {
        define("hivm.hir." + op + " outs(" + out.name + " : " + out.type + ")" + tail + " -> " + out.type),
        out.type};
  }
  static std::string list(ArrayRef<Tensor> values) {
    auto part = [&](auto field) { return llvm::join(llvm::map_range(values, field), ", "); };
    return part([](const Tensor &value) { return value.name; }) + " : " +
           part([](const Tensor &value) { return value.type; });
  }

  llvm::raw_ostream &os;
  unsigned indent = 2, count = 0;
};

class AttentionWriter : TensorWriter {
public:
  AttentionWriter(func::FuncOp cube, DictionaryAttr facts, llvm::raw_ostream &os)
      : TensorWriter(os), cube(cube), os(os), scale(facts.getAs<FloatAttr>("scale").getValueAsDouble()) {
    auto argument = [&](StringRef key) { return unsigned(facts.getAs<IntegerAttr>(key).getInt()); };
    q = argument("q"), k = argument("k"), v = argument("v");
    auto extents = [&](unsigned number) {
      return cast<MemRefType>(cube.getArgumentTypes()[number]).getShape();
    };
    ArrayRef<int64_t> queryExtents = extents(q), keyExtents = extents(k);
    queries = queryExtents[2], size = queryExtents[3], keys = keyExtents[2], valueSize = extents(v)[3];
    units = queryExtents[0] * queryExtents[1] * (queries / kAttentionTile);
    unitsOfKey = queries / kAttentionTile * (queryExtents[1] / keyExtents[1]);
    element = cast<MemRefType>(cube.getArgumentTypes()[q]).getElementType().isBF16() ? "bf16" : "f16";
  }
  void run();

private:
  /// The plain type: on tensors memories are inferred.
  std::string argumentType(unsigned number) {
    auto type = cast<MemRefType>(cube.getArgumentTypes()[number]);
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << MemRefType::get(type.getShape(), type.getElementType());
    return text;
  }
  /// A tile of an argument, from the element `offset` on.
  Tensor window(unsigned number, const std::string &offset, int64_t width) {
    std::string type = ("memref<" + Twine(kAttentionTile) + "x" + Twine(width) + "x" + element +
                        ", strided<[" + Twine(width) + ", 1], offset: ?>>")
                           .str();
    return {define("memref.reinterpret_cast %arg" + Twine(number) + " to offset: [" + offset + "], sizes: [" +
                   Twine(kAttentionTile) + ", " + Twine(width) + "], strides: [" + Twine(width) +
                   ", 1] : " + argumentType(number) + " to " + type),
            type};
  }
  Tensor load(unsigned number, const std::string &offset, int64_t width) {
    Tensor memref = window(number, offset, width);
    std::string type = typeOf(kAttentionTile, width, element);
    Tensor whole = {define("bufferization.to_tensor " + memref.name + " restrict writable : " + memref.type),
                    type};
    return apply("load", whole, type);
  }
  Tensor multiply(const Tensor &a, const Tensor &b, const std::string &depth, const std::string &columns,
                  int64_t width, StringRef attributes) {
    std::string type = typeOf(kAttentionTile, width, "f32");
    Tensor first = {always, "i1"}, m = {tile, "index"}, d = {depth, "index"}, n = {columns, "index"};
    return apply("mmadL1" + attributes, {a, b, first, m, d, n}, type);
  }
  /// A step's scores become weights; the sums so far are weighed anew where a maximum rises.
  void step(const std::string &index);

  func::FuncOp cube;
  llvm::raw_ostream &os;
  const double scale;
  unsigned q = 0, k = 0, v = 0;
  int64_t queries = 0, keys = 0, size = 0, valueSize = 0, units = 0, unitsOfKey = 1;
  std::string element;
  std::string always, tile, sizeName, valueSizeName, keyBase, valueBase, factor, zero, lowest;
  Tensor unit; // the queries
  const std::string column = typeOf(kAttentionTile, 1, "f32"),
                    square = typeOf(kAttentionTile, kAttentionTile, "f32");
};

void AttentionWriter::step(const std::string &index) {
  auto at = [&](const std::string &base, const std::string &width) {
    return define("arith.addi " + base + ", " + define("arith.muli " + index + ", " + width + " : index") +
                  " : index");
  };
  Tensor most = {"%most", column}, sum = {"%sum", column},
         result = {"%result", typeOf(kAttentionTile, valueSize, "f32")};
  Tensor scores =
      multiply(unit, load(k, at(keyBase, sizeName), size), sizeName, tile, kAttentionTile, " {b_transpose}");
  scores = apply("vmul", {scores, {factor, "f32"}}, square);
  Tensor highest = into("vreduce <max>", scores, fill(lowest, column), " reduce_dims = [1]");
  highest = apply("vmax", {most, highest}, column);
  Tensor change = apply("vexp", apply("vsub", {most, highest}, column), column);
  Tensor weights = apply("vexp", apply("vsub", {scores, highest}, square, " broadcast = [1]"), square);
  Tensor added = into("vreduce <sum>", weights, fill(zero, column), " reduce_dims = [1]");
  Tensor newSum = apply("vadd", {apply("vmul", {sum, change}, column), added}, column);
  Tensor narrow =
      apply("vcast", weights, typeOf(kAttentionTile, kAttentionTile, element), " round_mode = <rint>");
  Tensor product =
      multiply(narrow, load(v, at(valueBase, valueSizeName), valueSize), tile, valueSizeName, valueSize, "");
  Tensor weighed = apply("vmul", {result, change}, result.type, " broadcast = [1]");
  Tensor newResult = apply("vadd", {weighed, product}, result.type);
  line("scf.yield " + highest.name + ", " + newSum.name + ", " + newResult.name + " : " + column + ", " +
       column + ", " + result.type);
}

void AttentionWriter::run() {
  os << "func.func @" << cube.getName() << "(%sync: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, "
     << "%workspace: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}";
  for (unsigned i = 0; i < cube.getNumArguments(); ++i)
    os << ", %arg" << i << ": " << argumentType(i);
  os << ")\n    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {\n";
  line("hivm.hir.set_ffts_base_addr %sync");
  always = define("arith.constant true");
  std::string first = index(0), all = index(units), wide = index(keys);
  tile = index(kAttentionTile), sizeName = index(size), valueSizeName = index(valueSize);
  uint64_t bits = APFloat(static_cast<float>(scale)).bitcastToAPInt().getZExtValue();
  factor = define("arith.constant 0x" + llvm::utohexstr(bits, /*LowerCase=*/false, /*Width=*/8) + " : f32");
  zero = define("arith.constant 0.0 : f32");
  lowest = define("arith.constant 0xFF800000 : f32");
  std::string blocks = index(cube->getAttrOfType<IntegerAttr>(kBlocksAttr).getInt());
  std::string block =
      define("arith.index_cast " + define("hivm.hir.get_block_idx -> i64") + " : i64 to index");
  line("scf.for %unit = " + block + " to " + all + " step " + blocks + " {");
  open();
  auto times = [&](const std::string &a, int64_t b) {
    return define("arith.muli " + a + ", " + index(b) + " : index");
  };
  std::string head = define("arith.divui %unit, " + index(unitsOfKey) + " : index");
  keyBase = times(head, keys * size), valueBase = times(head, keys * valueSize);
  unit = load(q, times("%unit", kAttentionTile * size), size);
  std::string type = typeOf(kAttentionTile, valueSize, "f32");
  Tensor most = fill(lowest, column), sum = fill(zero, column), result = fill(zero, type);
  line("%steps:3 = scf.for %step = " + first + " to " + wide + " step " + tile +
       " iter_args(%most = " + most.name + ", %sum = " + sum.name + ", %result = " + result.name + ") -> (" +
       column + ", " + column + ", " + type + ") {");
  open();
  step("%step");
  close();
  Tensor mean = apply("vdiv", {{"%steps#2", type}, {"%steps#1", column}}, type, " broadcast = [1]");
  Tensor narrow = apply("vcast", mean, typeOf(kAttentionTile, valueSize, element), " round_mode = <rint>");
  Tensor target = window(cube.getNumArguments() - 1, times("%unit", kAttentionTile * valueSize), valueSize);
  line("hivm.hir.store ins(" + narrow.name + " : " + narrow.type + ") outs(" + target.name + " : " +
       target.type + ")");
  close();
  line("return");
  os << "}\n";
}

} // namespace

LogicalResult writeAttention(func::FuncOp cube, llvm::raw_ostream &os) {
  auto facts = cube->getAttrOfType<DictionaryAttr>(kAttentionAttr);
  if (!facts)
    return cube.emitError("npu: a kernel of cube and vector cores other than attention has no form in HIVM");
  AttentionWriter(cube, facts, os).run();
  return success();
}

} // namespace kiln::npu
