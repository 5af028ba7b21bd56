# SPDX-License-Identifier: Apache-2.0
# Packages of nodes (spec/build/cmake.md), in plain CMake and beside ament_cmake.
#
#   ligament_add_node(<name> MANIFEST <node.yaml> [IMPLEMENTATIONS <kind>...])
#     A target for each implementation of a node type, and <name> for all of them; installed with
#     the node's folder. IMPLEMENTATIONS: only these (cpu, gpu, fpga, hls, mcu).
#   ligament_add_messages(<name> <folder>...)
#     An interface library <name> of the headers of message packages, which the nodes below it in
#     the file can use; the definitions are installed.
#   ligament_add_graph(<name> FILE <graph.yaml> [PLATFORM <name>] [VARIANTS <name>...])
#     A target <name> that builds variants of a graph (default: all of them, for the platform
#     LIGAMENT_PLATFORM). Installed, it is run by `ligament run <project>/<name>`.
#
# The package is PROJECT_NAME. What is wrong with a manifest or a graph, and what is missing on this
# machine, is an error when CMake configures. ligament/prefix in the build folder is laid out as what
# is installed.
include_guard(GLOBAL)
set(LIGAMENT_PLATFORM host CACHE STRING "Platform of graphs whose ligament_add_graph names none")

# _ligament_begin_package(<function's name>): checks the call, and sets package, prefix, command.
macro(_ligament_begin_package call)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  _ligament_find_python()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)  # what is installed is run
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "As `ligament build` has it" FORCE)
  endif()
  # For each target make starts a shell and CMake, only to say that it was built: two fifths of all
  # processes of a build where nothing has changed. What is compiled is told all the same.
  get_property(is_chosen GLOBAL PROPERTY TARGET_MESSAGES SET)
  if(NOT is_chosen)
    set_property(GLOBAL PROPERTY TARGET_MESSAGES OFF)
  endif()
  set(package ${PROJECT_NAME})
  set(prefix ${PROJECT_BINARY_DIR}/ligament/prefix)
  set(share share/${package}/ligament)
  set(command ${LIGAMENT_PYTHON} -P -m ligament.package)
endmacro()

# _ligament_run(<what> <output variable> <word>...): a step that belongs to configuring.
function(_ligament_run what output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE mistakes
                  RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "${what}:\n${mistakes}")
  endif()
  set(${output} "${printed}" PARENT_SCOPE)
endfunction()

# _ligament_place(<variable> <path>): where a file of the package lies in it.
function(_ligament_place variable path)
  # A package may be linked into a workspace.
  get_filename_component(root ${PROJECT_SOURCE_DIR} REALPATH)
  get_filename_component(path ${path} REALPATH)
  file(RELATIVE_PATH place ${root} ${path})
  if(place MATCHES "^\\.\\.(/|$)")
    message(FATAL_ERROR "'${path}' is not in the folder of the package '${PROJECT_NAME}' "
                        "(${PROJECT_SOURCE_DIR}), so it cannot be installed with it")
  endif()
  set(${variable} "${place}" PARENT_SCOPE)
endfunction()

# _ligament_index(<file> <line>): adds a line to an index file, which the first one begins.
function(_ligament_index file line)
  get_property(lines GLOBAL PROPERTY "LIGAMENT_INDEX ${file}")
  string(APPEND lines "${line}\n")
  set_property(GLOBAL PROPERTY "LIGAMENT_INDEX ${file}" "${lines}")
  file(WRITE ${file} "${lines}")
endfunction()

# _ligament_install_index(<line>): adds a line to the index file that is installed.
function(_ligament_install_index line)
  set(file ${PROJECT_BINARY_DIR}/ligament/index)
  get_property(begun GLOBAL PROPERTY "LIGAMENT_INDEX ${file}")
  if(NOT begun)
    install(FILES ${file} DESTINATION share/ament_index/resource_index/ligament
            RENAME ${PROJECT_NAME})
  endif()
  _ligament_index(${file} "${line}")
endfunction()

# _ligament_install_record(<name>): installs the build record of a name.
macro(_ligament_install_record name)
  _ligament_install_index("built ${name}.built.json")
  install(FILES ${prefix}/${share}/${name}.built.json DESTINATION ${share})
endmacro()

function(_ligament_add_node_of_manifest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST" "IMPLEMENTATIONS")
  _ligament_begin_package("ligament_add_node(${name})")
  get_filename_component(manifest "${arg_MANIFEST}" ABSOLUTE)
  get_property(messages GLOBAL PROPERTY LIGAMENT_MESSAGES_${package})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/ligament/${name})
  list(APPEND command node --name ${name} --package ${package} --out ${out} --prefix ${prefix}
       --manifest ${manifest} --messages ${messages} --implementations ${arg_IMPLEMENTATIONS})
  _ligament_run("ligament_add_node(${name})" unused ${command})
  # Graphs that are built here find the libraries where an installation has them.
  _ligament_index(${prefix}/share/ament_index/resource_index/ligament/${package}
                  "built ${name}.built.json")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${prefix}/lib/${package})
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
  include(${out}/declaration.cmake)  # sets node_*, and adds the generated projects
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})

  set(definitions "")
  foreach(folder IN LISTS messages)
    file(GLOB found CONFIGURE_DEPENDS ${folder}/msg/*.msg ${folder}/srv/*.srv
         ${folder}/action/*.action)
    list(APPEND definitions ${found})
  endforeach()
  add_custom_command(
    OUTPUT ${out}.stamp
    BYPRODUCTS ${node_outputs} ${prefix}/${share}/${name}.built.json
    COMMAND ${command}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}.stamp
    DEPENDS ${node_inputs} ${definitions}
    COMMENT "Generating for ${node_type}" VERBATIM)
  add_custom_target(${name}-generated DEPENDS ${out}.stamp)
  add_custom_target(${name} ALL)
  add_dependencies(${name} ${name}-generated)
  foreach(project IN LISTS node_projects)
    get_property(targets DIRECTORY ${project} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      add_dependencies(${target} ${name}-generated)
    endforeach()
  endforeach()
  foreach(target IN LISTS node_targets)
    add_dependencies(${name} ${target})
    install(TARGETS ${target} LIBRARY DESTINATION lib/${package})
  endforeach()
  if(node_firmware)
    _ligament_add_firmware(${name} ${node_folder} ${node_firmware})
  endif()
  set_property(GLOBAL APPEND PROPERTY LIGAMENT_NODES_${package} ${name})

  _ligament_place(place ${node_folder})
  install(DIRECTORY ${node_folder}/ DESTINATION ${share}/${place} PATTERN tests EXCLUDE)
  _ligament_install_beside(${node_folder} ${node_inputs})
  foreach(folder IN LISTS node_includes)
    _ligament_place(beside ${folder})
    install(DIRECTORY ${folder}/ DESTINATION ${share}/${beside} FILES_MATCHING PATTERN "*.h*"
            PATTERN tests EXCLUDE)
  endforeach()
  _ligament_place(place ${manifest})
  _ligament_install_index("node ${node_type} ${place}")
  _ligament_install_record(${name})
endfunction()

# Installs the files that lie outside of the node's own folder.
function(_ligament_install_beside folder)
  foreach(file IN LISTS ARGN)
    string(FIND "${file}" "${folder}/" at)
    if(NOT at EQUAL 0)
      _ligament_place(place ${file})
      get_filename_component(place ${place} DIRECTORY)
      install(FILES ${file} DESTINATION share/${PROJECT_NAME}/ligament/${place})
    endif()
  endforeach()
endfunction()

# The image of a core with this node alone. Its compiler is another one, so it has a CMake project of
# its own, which is asked when a file of the node's folder has changed.
function(_ligament_add_firmware name folder manifest image)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/ligament/${name}-firmware.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    BYPRODUCTS ${image}
    COMMAND ${LIGAMENT_PYTHON} -P -m ligament.package firmware ${manifest}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/ligament/${name}.stamp ${files}
    COMMENT "Compiling the firmware of ${name}" VERBATIM)
  add_custom_target(${name}-firmware DEPENDS ${stamp})
  add_dependencies(${name}-firmware ${name}-generated)
  add_dependencies(${name} ${name}-firmware)
  install(FILES ${image} DESTINATION lib/${PROJECT_NAME} RENAME ${name}.elf)
endfunction()

function(ligament_add_messages name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "")
  set(folders "")
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND folders ${folder})
  endforeach()
  set(arg_UNPARSED_ARGUMENTS "")
  if(NOT folders)
    message(FATAL_ERROR "ligament_add_messages(${name}): the folders that hold msg/, srv/ or "
                        "action/ are missing")
  endif()
  _ligament_begin_package("ligament_add_messages(${name})")
  add_library(${name} INTERFACE)
  ligament_generate_messages(${name} PACKAGE_DIRS ${folders})
  set_property(GLOBAL APPEND PROPERTY LIGAMENT_MESSAGES_${package} ${folders})
  foreach(folder IN LISTS folders)
    _ligament_place(place ${folder})
    install(DIRECTORY ${folder}/ DESTINATION ${share}/${place} FILES_MATCHING PATTERN package.xml
            PATTERN "*.msg" PATTERN "*.srv" PATTERN "*.action")
    _ligament_install_index("messages ${place}")
  endforeach()
endfunction()

function(ligament_add_graph name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;PLATFORM" "VARIANTS")
  if(NOT arg_FILE)
    message(FATAL_ERROR "ligament_add_graph(${name}): FILE is missing: a graph.yaml")
  endif()
  _ligament_begin_package("ligament_add_graph(${name})")
  if(NOT arg_PLATFORM)
    set(arg_PLATFORM "${LIGAMENT_PLATFORM}")
  endif()
  get_filename_component(file "${arg_FILE}" ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/ligament/${name})
  # The nodes that are built here go before what is installed.
  set(command ${CMAKE_COMMAND} -E env "AMENT_PREFIX_PATH=${prefix}:$ENV{AMENT_PREFIX_PATH}"
      ${command} graph --name ${name} --package ${package} --out ${out} --prefix ${prefix}
      --file ${file} --platform ${arg_PLATFORM} --variants ${arg_VARIANTS})
  _ligament_run("ligament_add_graph(${name})" read ${command} --check)
  string(REPLACE "\n" ";" read "${read}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})

  get_property(nodes GLOBAL PROPERTY LIGAMENT_NODES_${package})
  set(libraries "")
  foreach(node IN LISTS nodes)
    get_target_property(targets ${node} MANUALLY_ADDED_DEPENDENCIES)
    foreach(target IN LISTS targets)
      if(NOT TARGET ${target})  # it has none: it is in Python
        continue()
      endif()
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "SHARED_LIBRARY")
        list(APPEND libraries $<TARGET_FILE:${target}>)
      endif()
    endforeach()
  endforeach()
  add_custom_command(
    OUTPUT ${out}.stamp
    BYPRODUCTS ${prefix}/${share}/${name}.built.json
    COMMAND ${command}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}.stamp
    DEPENDS ${read} ${libraries}
    DEPFILE ${out}.d
    COMMENT "Building the graph ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${out}.stamp)
  if(nodes)
    add_dependencies(${name} ${nodes})
  endif()
  _ligament_place(place ${file})
  foreach(part IN LISTS read)  # with the graphs and parameter files that it names
    if(NOT part MATCHES "/node\\.yaml$")
      _ligament_place(folder ${part})
      get_filename_component(folder ${folder} DIRECTORY)
      install(FILES ${part} DESTINATION ${share}/${folder})
    endif()
  endforeach()
  install(DIRECTORY ${prefix}/lib/${package}/${name} DESTINATION lib/${package} OPTIONAL)
  _ligament_install_index("graph ${name} ${place}")
  _ligament_install_record(${name})
endfunction()
