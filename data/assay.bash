# Completion of assay for bash.
# SPDX-License-Identifier: Apache-2.0

# The commands of the program that is there.
_assay_commands ()
{
  assay --help 2>/dev/null | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'
}

# What a command writes, as its help lists it.
_assay_formats ()
{
  assay "$1" --help 2>/dev/null | sed -nE '/--format=/{s/.*What to write: ([^;]*);.*/\1/; s/,| or / /gp}'
}

_assay ()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local options

  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$(_assay_commands)" -- "$word"))
    return
  fi
  case $before in
    --target | -t | show) [ "$command:$before" = show:show ] ||
      { COMPREPLY=($(compgen -W "$(assay targets list 2>/dev/null | awk '{ print $1 }')" -- "$word")); [ "$before" = show ] || COMPREPLY+=($(compgen -f -- "$word")); return; } ;;
    --format | -f) COMPREPLY=($(compgen -W "$(_assay_formats "$command")" -- "$word")); return ;;
    --emit) COMPREPLY=($(compgen -W 'text json dot nnir torch contract passes backends onnx svg pdf png' -- "$word")); return ;;
    --on) COMPREPLY=($(compgen -W 'vm vm-fp32 dpu dpu-quantiser reference reference-fp64 ort vulkan command: unconfined: board:local board:ssh: files:' -- "$word")); return ;;
    --board | -b | --check | --install | --remove) COMPREPLY=($(compgen -W "$(assay boards 2>/dev/null | awk 'NF == 0 { exit } { print $1 }')" -- "$word")); return ;;
    --shows) COMPREPLY=($(compgen -W 'rejected refused outside command:' -- "$word")); return ;;
    --level) COMPREPLY=($(compgen -W 'onnx nnir globalize-object-graph inline adjust-calling-conventions inline-global-slots canonicalize reduce-op-variants maximize-value-semantics refine-types refine-public-return decompose-complex-ops' -- "$word")); return ;;
  esac
  # The options of a command are those of its help.
  case $command in
    targets) options='--json --format --output list show validate predicates' ;;
    help) options=$(_assay_commands) ;;
    *) options=$(assay "$command" --help 2>/dev/null | sed -nE 's/^  (-., )?(--[a-z0-9-]+).*/\2/p') ;;
  esac
  if [ "${word:0:1}" = - ] || [ "$command" = targets ] || [ "$command" = help ]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  fi
  COMPREPLY+=($(compgen -f -- "$word"))
}

complete -o filenames -F _assay assay
