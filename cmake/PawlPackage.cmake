# A Debian package by `tools/deb`: the program, its manual page and completion, the libraries and headers, and the Python
# module if it was built. Debian's Python finds it in dist-packages.
install(CODE "
  file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/package\")
  execute_process(COMMAND \"$<TARGET_FILE:pawl>\" help --man OUTPUT_FILE \"${PROJECT_BINARY_DIR}/package/pawl.1\"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"$<TARGET_FILE:pawl>\" help --completion OUTPUT_FILE \"${PROJECT_BINARY_DIR}/package/pawl\"
    COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/package/pawl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/package/pawl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
if(PAWL_PYTHON)
  file(GLOB package CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/pawl/*.py)
  set(module ${PROJECT_BINARY_DIR}/python/pawl)
  install(FILES ${package} $<TARGET_FILE:pawl_python> ${module}/_pawl.pyi ${module}/py.typed
    DESTINATION lib/python3/dist-packages/pawl OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pawl)
set(CPACK_PACKAGE_CONTACT "The Pawl authors <pawl@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rigid bodies in hard contact, certified step by step")
set(CPACK_PACKAGE_DESCRIPTION "Program, C++ library and Python module. Needs a processor of level x86-64-v3.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium, ffmpeg, libfmt-dev, libhdf5-dev, libqhull-dev, libtinyxml2-dev, libyaml-cpp-dev")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # packs what is built: the tests are not needed
include(CPack)
