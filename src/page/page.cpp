#include <page/page.h>

#include <pawl/error.h>

#ifdef PAWL_PAGE
// The assembler includes the file as it is; as a C++ literal it would take the compiler minutes.
asm(".pushsection .rodata\n"
    "pawl_page_begin: .incbin \"" PAWL_PAGE
    "\"\n"
    "pawl_page_end: .byte 0\n"
    ".popsection\n");
extern "C" const char pawl_page_begin[], pawl_page_end[];
#endif

namespace pawl::internal {

std::string_view viewer_page() {
#ifdef PAWL_PAGE
  return {pawl_page_begin, pawl_page_end};
#else
  throw Error("this pawl was built without its page: build it with node and npm, and with -DPAWL_VIEWER=ON");
#endif
}

}  // namespace pawl::internal
