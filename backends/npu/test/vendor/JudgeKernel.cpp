// JudgeKernel.cpp: npu-judge-kernel MODEL.mlir FUNCTION INPUTS.npz GOT.npz: whether results that somebody
// else computed are those of the model's ops, each element within the error that it may have. Arrays in
// order.
#include "tools/lib/CheckReference.h"
#include "tools/lib/Npy.h"
#include "tools/lib/RunCases.h"

#include <iostream>

using namespace kiln;
using namespace kiln::tools;

namespace {

Result<int> judge(char **arguments) {
  KilnInstance *instance = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_instance_create(nullptr, &instance)));
  InstanceHandle owner(instance);
  auto options = sized<KilnModelOptions>();
  options.function = toStr(arguments[2]);
  KilnModel *model = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_model_load_file(instance, toStr(arguments[1]), &options, &model)));
  ModelHandle modelOwner(model);
  KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> inputs, readNpz(arguments[3]));
  KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> got, readNpz(arguments[4]));
  KILN_ASSIGN_OR_RETURN(std::vector<ReferenceTensor> want, referenceResults(model, viewTensors(inputs)));
  if (want.size() != got.size())
    return Status(Code::InvalidArgument,
                  std::to_string(got.size()) + " results; the model has " + std::to_string(want.size()));
  int code = 0;
  for (size_t i = 0; i < want.size(); ++i)
    if (std::string difference =
            differenceFrom(want[i], got[i], 1e-5, want[i].dtype == KILN_F16 ? 1e-3 : 1e-4); // a rounding
        !difference.empty()) {
      std::cout << difference << "\n";
      code = 1;
    }
  return code;
}

} // namespace

int main(int argc, char **argv) {
  Result<int> code = argc == 5
                         ? judge(argv)
                         : Status(Code::InvalidArgument, "expected MODEL.mlir FUNCTION INPUTS.npz GOT.npz");
  if (code.ok())
    return *code;
  std::cerr << "npu-judge-kernel: error: " << code.status().message() << "\n";
  return 3;
}
