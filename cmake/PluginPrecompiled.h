// PluginPrecompiled.h: the precompiled header of the test backends: the runtime half of the SDK.
#include "tests/plugins/PluginDevice.h"

#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>
