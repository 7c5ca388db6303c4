// CApiBuffer.cpp: kiln.h: buffers.
#include "runtime/CApi.h"

using namespace kiln;
using namespace kiln::capi;

KilnStatus kiln_buffer_allocate(KilnSession *session, uint64_t bytes, KilnBuffer **outBuffer) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_RETURN_IF_ERROR(required(outBuffer, "out_buffer"));
    KILN_ASSIGN_OR_RETURN(Buffer buffer, session->session->device().allocate(bytes));
    *outBuffer = new KilnBuffer{std::move(buffer), session->session};
    return {};
  });
}

KilnStatus kiln_buffer_import_host(KilnSession *session, void *data, uint64_t bytes,
                                   void (*release)(void *arg), void *arg, KilnBuffer **outBuffer) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_RETURN_IF_ERROR(required(outBuffer, "out_buffer"));
    std::function<void()> notify;
    if (release)
      notify = [release, arg] { release(arg); };
    KILN_ASSIGN_OR_RETURN(Buffer buffer,
                          session->session->device().importHost(data, bytes, std::move(notify)));
    *outBuffer = new KilnBuffer{std::move(buffer), session->session};
    return {};
  });
}

KilnStatus kiln_buffer_subrange(KilnBuffer *buffer, uint64_t offset, uint64_t bytes, KilnBuffer **outBuffer) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(buffer, "buffer"));
    KILN_RETURN_IF_ERROR(required(outBuffer, "out_buffer"));
    KILN_ASSIGN_OR_RETURN(Buffer part, buffer->buffer.subrange(offset, bytes));
    *outBuffer = new KilnBuffer{std::move(part), buffer->session};
    return {};
  });
}

KilnStatus kiln_buffer_at(KilnSession *session, KilnDeviceAddress address, uint64_t bytes,
                          KilnBuffer **outBuffer) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_RETURN_IF_ERROR(required(outBuffer, "out_buffer"));
    KILN_ASSIGN_OR_RETURN(Buffer part, session->session->device().bufferAt(address, bytes));
    *outBuffer = new KilnBuffer{std::move(part), session->session};
    return {};
  });
}

KilnStatus kiln_buffer_write(KilnBuffer *buffer, uint64_t offset, const void *data, uint64_t bytes) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(buffer, "buffer"));
    KILN_ASSIGN_OR_RETURN(Buffer part, buffer->buffer.subrange(offset, bytes));
    if (bytes > 0)
      KILN_RETURN_IF_ERROR(required(data, "data"));
    return buffer->session->write(part, data);
  });
}

KilnStatus kiln_buffer_read(KilnBuffer *buffer, uint64_t offset, void *data, uint64_t bytes) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(buffer, "buffer"));
    KILN_ASSIGN_OR_RETURN(Buffer part, buffer->buffer.subrange(offset, bytes));
    if (bytes > 0)
      KILN_RETURN_IF_ERROR(required(data, "data"));
    return buffer->session->read(part, data);
  });
}

KilnDeviceAddress kiln_buffer_address(KilnBuffer *buffer) { return buffer ? buffer->buffer.address() : 0; }
uint64_t kiln_buffer_bytes(KilnBuffer *buffer) { return buffer ? buffer->buffer.bytes() : 0; }
void kiln_buffer_release(KilnBuffer *buffer) { delete buffer; }
