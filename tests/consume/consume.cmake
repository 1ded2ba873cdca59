# Installs the build in `pawl_build` under `work`, then configures, builds and runs the external `project`
# with it.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${pawl_build} --prefix ${work}/prefix)
run(${work}/prefix/bin/pawl --version)
run(${CMAKE_COMMAND} -G Ninja -S ${project} -B ${work}/build -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
