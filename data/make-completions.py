# SPDX-License-Identifier: Apache-2.0
"""Completions of assay from what the program says of itself: make-completions.py ASSAY SHELL OUTPUT.

Commands, options and the words that an option takes are those of the help; targets and boards are asked for when a shell
completes, since they depend on the computer.
"""
import re
import subprocess
import sys

# Options whose values the program lists when it is asked.
LIVE = {
    '--target': "assay targets list 2>/dev/null | awk '{ print $1 }'",
    '--board': "assay boards 2>/dev/null | awk 'NF == 0 { exit } { print $1 }'",
    '--check': "assay boards 2>/dev/null | awk 'NF == 0 { exit } { print $1 }'",
}
# Options whose values are the rows of a table in some help: the command, and the heading.
TABLES = {
    '--on': ('run', 'Runners'),
    '--a': ('run', 'Runners'),
    '--b': ('run', 'Runners'),
    '--shows': ('reduce', 'Symptoms'),
    '--level': ('show', 'Levels'),
}
# Words of a command in place of a file.
WORDS = {'targets': ['list', 'show', 'validate', 'predicates']}
LISTED = re.compile(r': ([a-z0-9]+(?: \(default\))?(?:, [a-z0-9]+)* or [a-z0-9]+)(?:;|$)')


def ask(assay, *words):
    return subprocess.run([assay, *words], capture_output=True, text=True, check=True).stdout


def table(text, heading):
    """First words of the rows below a heading: `ort[:LIBRARY]` is `ort`, `command:PATH` is `command:`."""
    rows = re.search(rf'^{heading}:\n((?:  .*\n)+)', text, re.M).group(1)
    return [re.match(r'[a-z0-9-]+:?', name).group() for name in re.findall(r'^  (\S+)', rows, re.M)]


def options(text):
    """Rows of the help: the short name or '', the long one, whether it takes a value, its words, and what it is for."""
    for short, name, value, summary in re.findall(r'^  (?:-(\w), )?(--[a-z0-9-]+)(=\S+)? +(.*)$', text, re.M):
        listed = LISTED.search(summary)
        words = re.split(r', | or ', listed.group(1).replace(' (default)', '')) if listed else []
        yield short, name, bool(value), words, summary


def read(assay):
    """Every command: what it is for, its own words, and its options with what completes each value."""
    overview = ask(assay, 'help').split('\nCommands:\n')[1].split('\n\n')[0]
    commands = re.findall(r'^  (\S+) +(.*)$', overview, re.M)
    texts = {name: ask(assay, name, '--help') for name, _ in commands}
    described = {}
    for name, summary in commands:
        found = []
        for short, option, takes, words, about in options(texts[name]):
            if option in TABLES:
                words = table(texts[TABLES[option][0]], TABLES[option][1])
            found.append((short, option, takes, words, about))
        own = [other for other, _ in commands] if name == 'help' else WORDS.get(name, [])
        described[name] = summary, own, found
    return described


def bash(commands):
    lines = ['_assay ()', '{', '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
             '  local words= values=', '', '  if [ "$COMP_CWORD" -eq 1 ]; then',
             f"    COMPREPLY=($(compgen -W '{' '.join(commands)} --help --version' -- \"$word\"))", '    return', '  fi',
             '  # A shell may take `=` and `:` for words of their own.',
             '  [ "$word" = = ] && word=',
             '  [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}', '  case $command:$before in']
    for name, (_, own, options) in commands.items():
        for short, option, takes, words, _ in options:
            pattern = f'{name}:{option}' + (f' | {name}:-{short}' if short else '')
            if option in LIVE:
                lines.append(f'    {pattern}) values="$({LIVE[option]})" ;;')
            elif words:
                lines.append(f"    {pattern}) values='{' '.join(words)}' ;;")
    lines += ["    targets:show) values=\"$(" + LIVE['--target'] + ')" ;;', '  esac', '  if [ -n "$values" ]; then',
              '    COMPREPLY=($(compgen -W "$values" -- "$word") $(compgen -f -- "$word"))', '    return', '  fi', '  case $command in']
    for name, (_, own, options) in commands.items():
        lines.append(f"    {name}) words='{' '.join([*own, *(option[1] for option in options), '--help'])}' ;;")
    return lines + ['  esac', '  case $word in', '    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;',
                    '    *) COMPREPLY=($(compgen -W "${words%%--*}" -- "$word") $(compgen -f -- "$word")) ;;', '  esac', '}', '',
                    'complete -o filenames -F _assay assay']


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(commands):
    def entry(short, option, takes, words, about):
        text = quoted(re.sub(r'([][:\\])', r'\\\1', about))
        tail = '' if not takes else (
            ':value:{ compadd -- $(' + quoted(LIVE[option]) + '); _files }' if option in LIVE else
            f':value:({" ".join(word.replace(":", chr(92) + ":") for word in words)})' if words else ':value:_files')
        names = f"'*'{{-{short},{option}{'=' if takes else ''}}}" if short else f"'*{option}{'=' if takes else ''}'"
        if short and takes:
            names = f"'*'{{-{short}+,{option}=}}"
        return f"        {names}'[{text}]{tail}' \\"

    lines = ['#compdef assay', '', '_assay ()', '{', '  local -a commands', '  commands=(']
    lines += [f"    '{name}:{quoted(summary)}'" for name, (summary, _, _) in commands.items()]
    lines += ['  )', '  if (( CURRENT == 2 )); then', "    _describe command commands", '    return', '  fi',
              '  local command=$words[2]', '  shift words', '  (( CURRENT-- ))', '  case $command in']
    for name, (_, own, options) in commands.items():
        lines += [f'    {name})', "      _arguments -s \\"]
        lines += [entry(*option) for option in options]
        lines += [f"        '(- *)'{{-h,--help}}'[Show help options]' \\",
                  f"        '*:argument:({' '.join(own)})' ;;" if own else "        '*:file:_files' ;;"]
    return lines + ['  esac', '}', '', '_assay "$@"']


def fish(commands):
    lines = ['complete -c assay -n __fish_use_subcommand -f']
    for name, (summary, own, options) in commands.items():
        lines.append(f"complete -c assay -n __fish_use_subcommand -a {name} -d '{fish_quoted(summary)}'")
        condition = f"'__fish_seen_subcommand_from {name}'"
        if own:
            lines.append(f"complete -c assay -n {condition} -f -a '{' '.join(own)}'")
        for short, option, takes, words, about in options:
            source = f"({LIVE[option]})" if option in LIVE else ' '.join(words)
            lines.append(f'complete -c assay -n {condition}' + (f' -s {short}' if short else '') + f' -l {option[2:]}' +
                         (' -r' if takes else '') + (f" -a '{fish_quoted(source)}'" if source else '') +
                         f" -d '{fish_quoted(about)}'")
    return lines


def fish_quoted(text):
    return text.replace('\\', '\\\\').replace("'", "\\'")


SHELLS = {'bash': bash, 'zsh': zsh, 'fish': fish}


def main(assay, shell, output):
    lines = SHELLS[shell](read(assay))
    # zsh takes the first line for the name of the command.
    note = ['# Completion of assay, made from its help.', '# SPDX-License-Identifier: Apache-2.0', '']
    if shell == 'zsh':
        lines[1:1] = note[:-1]
    else:
        lines = note + lines
    with open(output, 'w') as file:
        file.write('\n'.join(lines) + '\n')


main(*sys.argv[1:])
