// Register.cpp: the compiler tier of foo: the reference lowering with foo's passes around it.
#include "Compiler/Foo.h"

#include "kiln/devicekit/Pipes.h"
#include "kiln/devicekit/ReferenceCodegen.h"

namespace {

using namespace kiln::jit;

kiln::Status registerFooCompiler(CompilerRegistrar &registrar) {
  registrar.addDialect<foo::FooDialect>();
  kiln::devicekit::registerReference(registrar, "foo", "foo-flat",
                                     {Stage::Tensor, Stage::Tile, Stage::Lower});
  registrar.addStage("foo", Stage::Tensor, [](mlir::OpPassManager &pm, const Target &target) {
    pm.addPass(foo::createRefuseF64Pass());
    kiln::devicekit::buildReferenceStage(Stage::Tensor, pm, target);
  });
  registrar.addStage("foo", Stage::Tile,
                     [](mlir::OpPassManager &pm, const Target &) { pm.addPass(foo::createFormClampPass()); });
  registrar.addStage("foo", Stage::Lower, [](mlir::OpPassManager &pm, const Target &target) {
    pm.addPass(foo::createExpandClampPass());
    kiln::devicekit::buildReferenceStage(Stage::Lower, pm, target);
  });
  // As this manifest ("extends") and the host's ("extensible") say.
  registrar.extendStage("host", Stage::Graph, /*after=*/true, [](mlir::OpPassManager &pm, const Target &) {
    pm.addPass(foo::createCountOpsPass());
  });
  kiln::devicekit::registerPipePasses(registrar);
  registrar.addPass(foo::createRefuseF64Pass);
  registrar.addPass(foo::createFormClampPass);
  registrar.addPass(foo::createExpandClampPass);
  registrar.addPass(foo::createCountOpsPass);
  return registrar.status();
}

} // namespace

KILN_BACKEND_COMPILER(foo, "0.1.0", registerFooCompiler)
