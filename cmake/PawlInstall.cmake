# The installed package: bin/pawl, the libraries, include/pawl, and the files of find_package(Pawl). Tested by
# tests/consume.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Pawl)

get_property(core GLOBAL PROPERTY PAWL_CORE_LIBRARIES)
get_property(io GLOBAL PROPERTY PAWL_IO_LIBRARIES)
install(TARGETS pawl)
install(TARGETS pawl_core pawl_io ${core} ${io} EXPORT PawlTargets)
install(EXPORT PawlTargets NAMESPACE Pawl:: DESTINATION ${package_folder})
install(DIRECTORY include/pawl TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)

configure_package_config_file(cmake/PawlConfig.cmake.in ${PROJECT_BINARY_DIR}/PawlConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PawlConfig.cmake ${PROJECT_BINARY_DIR}/PawlConfigVersion.cmake
  DESTINATION ${package_folder})
