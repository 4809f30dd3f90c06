# Completion of assay for bash.
# SPDX-License-Identifier: Apache-2.0

_assay ()
{
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local shapes='--override-input-shapes --bind' options
  local build="--target --model-name --streaming-transform --data-dim --disable-optimizations --keep-fp32 --fp8-weights --pin --depth
    --state-reset --allow-dynamic-weights $shapes"

  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'check fix show compile metrics cycles dump run compare conformance deploy boards targets help version' -- "$word"))
    return
  fi
  case $before in
    --target | -t | show) [ "$command:$before" = show:show ] ||
      { COMPREPLY=($(compgen -W "$(assay targets list 2>/dev/null | awk '{ print $1 }')" -- "$word")); [ "$before" = show ] || COMPREPLY+=($(compgen -f -- "$word")); return; } ;;
    --format | -f) COMPREPLY=($(compgen -W 'text json sarif junit' -- "$word")); return ;;
    --emit) COMPREPLY=($(compgen -W 'text json dot nnir onnx svg pdf png' -- "$word")); return ;;
    --on) COMPREPLY=($(compgen -W 'vm vm-fp32 reference reference-fp64 ort command: board:local board:ssh: files:' -- "$word")); return ;;
    --board | -b | --check) COMPREPLY=($(compgen -W "$(assay boards 2>/dev/null | awk '{ print $1 }')" -- "$word")); return ;;
    --level) COMPREPLY=($(compgen -W 'onnx nnir' -- "$word")); return ;;
  esac
  case $command in
    check) options="--target --format --json --output --policy $shapes --target-option --streaming-transform --data-dim --allow-dynamic-weights --inputs-are-parameters" ;;
    fix) options="--target --apply --best --fixes --save-fixes --output --cause --runs --random --no-cycles --json $shapes --target-option --streaming-transform --data-dim --allow-dynamic-weights" ;;
    show) options="--emit --tensor --target --streaming-transform --fold --open --area --colour-by --overlay --scale --dark --level --json --output $shapes" ;;
    compile) options="$build --output --metrics --io-only --json" ;;
    metrics) options='--json --output' ;;
    cycles) options='--sensitivity --trace --model --json --output' ;;
    dump) options='--placement --output' ;;
    run) options="--on --input --random --timesteps --ranges --output-dir --model $build --json --output" ;;
    compare) options="--a --b --tolerance --outputs-only --all --input --random --timesteps --model $build --json --output" ;;
    conformance) options="--on --target --inputs-are-parameters --xfail --filter --timeout --jobs --rtol --atol --all --format --json --output" ;;
    deploy) options="--board --runs --random --model $build --json --output" ;;
    boards) options='--check --json --output' ;;
    targets) options='--json --output list show validate predicates' ;;
    help) options='check fix show compile metrics cycles dump run compare conformance deploy boards targets help version' ;;
    *) options= ;;
  esac
  if [ "${word:0:1}" = - ] || [ "$command" = targets ] || [ "$command" = help ]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  fi
  COMPREPLY+=($(compgen -f -- "$word"))
}

complete -o filenames -F _assay assay
