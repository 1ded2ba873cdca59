# Other libraries for comparison, each as a target if it is installed: PkgConfig::ODE, PkgConfig::BULLET, fcl.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(ODE QUIET IMPORTED_TARGET ode)
  pkg_check_modules(BULLET QUIET IMPORTED_TARGET bullet-float64)
endif()
find_package(fcl QUIET CONFIG)
