# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish. The tool itself knows its commands, options and values.

function __pmscope_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (pmscope complete $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c pmscope -f -a '(__pmscope_complete)'
