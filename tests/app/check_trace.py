#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a trace against the rules of the Trace Event Format (the Chromium project's document of that name), as Perfetto
reads it: what each phase must have, slices of a track that nest, flows that begin and end inside slices."""

# Colours that the format reserves names for, of which viewers take no other.
COLOURS = {'thread_state_uninterruptible', 'thread_state_iowait', 'thread_state_running', 'thread_state_runnable',
           'thread_state_sleeping', 'thread_state_unknown', 'background_memory_dump', 'light_memory_dump',
           'detailed_memory_dump', 'vsync_highlight_color', 'generic_work', 'good', 'bad', 'terrible', 'black', 'grey',
           'white', 'yellow', 'olive', 'rail_response', 'rail_animation', 'rail_idle', 'rail_load', 'startup',
           'heap_dump_stack_frame', 'heap_dump_object_type', 'heap_dump_child_node_arrow', 'cq_build_running',
           'cq_build_passed', 'cq_build_failed', 'cq_build_abandoned', 'cq_build_attempt_runnig',
           'cq_build_attempt_passed', 'cq_build_attempt_failed'}
MEMBERS = {'traceEvents', 'displayTimeUnit', 'systemTraceEvents', 'otherData', 'stackFrames', 'samples',
           'controllerTraceDataKey', 'powerTraceAsString'}
NEEDED = {'X': {'ts', 'dur'}, 'M': {'args'}, 's': {'ts', 'id', 'cat'}, 'f': {'ts', 'id', 'cat'}}
METADATA = {'process_name': 'name', 'thread_name': 'name', 'process_sort_index': 'sort_index',
            'thread_sort_index': 'sort_index'}


def is_time(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def event_faults(number, event):
    where = f'event {number}'
    if not isinstance(event, dict) or event.get('ph') not in NEEDED:
        return [f'{where}: no phase of {sorted(NEEDED)}']
    faults = [f'{where}: no {name}' for name in {'name', 'pid', 'tid'} | NEEDED[event['ph']] if name not in event]
    faults += [f'{where}: {name} is no time' for name in ('ts', 'dur') if name in event and not is_time(event[name])]
    faults += [f'{where}: {name} is no number' for name in ('pid', 'tid') if not isinstance(event.get(name), int)]
    if not isinstance(event.get('args', {}), dict):
        faults.append(f'{where}: args is no object')
    elif event['ph'] == 'M' and METADATA.get(event.get('name')) not in event.get('args', {}):
        faults.append(f'{where}: metadata {event.get("name")} without its argument')
    if 'cname' in event and event['cname'] not in COLOURS:
        faults.append(f'{where}: no colour {event["cname"]}')
    if event.get('bp', 'e') != 'e':
        faults.append(f'{where}: bp is not e')
    return faults


def slice_faults(track, slices):
    """Slices of one track nest: of two that overlap, one lies within the other."""
    faults, ends = [], []
    for start, end in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and end > ends[-1]:
            faults.append(f'track {track}: slice {start}..{end} overlaps one that ends at {ends[-1]}')
        ends.append(end)
    return faults


def flow_faults(flows, tracks):
    """A flow begins once and ends once, not before it began, each in a slice of its track."""
    faults = []
    for key, events in flows.items():
        phases = [event['ph'] for event in events]
        if phases != ['s', 'f']:
            faults.append(f'flow {key}: phases {phases}')
            continue
        if events[1]['ts'] < events[0]['ts']:
            faults.append(f'flow {key}: ends at {events[1]["ts"]}, before {events[0]["ts"]}')
        for event in events:
            slices = tracks.get((event['pid'], event['tid']), [])
            if not any(start <= event['ts'] <= end for start, end in slices):
                faults.append(f'flow {key}: {event["ph"]} at {event["ts"]} is in no slice')
        if events[1].get('bp') != 'e':
            faults.append(f'flow {key}: bound to the next slice')
    return faults


def faults(document):
    """Everything in which a trace departs from the format, as lines."""
    if not isinstance(document, dict) or not isinstance(document.get('traceEvents'), list):
        return ['no object with traceEvents']
    found = [f'no member {name}' for name in set(document) - MEMBERS]
    if document.get('displayTimeUnit', 'ms') not in ('ms', 'ns'):
        found.append('displayTimeUnit is neither ms nor ns')
    for number, event in enumerate(document['traceEvents']):
        found += event_faults(number, event)
    if found:
        return found

    tracks, flows, named = {}, {}, set()
    for event in document['traceEvents']:
        track = event['pid'], event['tid']
        if event['ph'] == 'X':
            # Times are thousandths at the finest; their sum as floats is not quite one.
            tracks.setdefault(track, []).append((event['ts'], round(event['ts'] + event['dur'], 3)))
        elif event['ph'] == 'M' and event['name'] == 'thread_name':
            named.add(track)
        elif event['ph'] in 'sf':
            flows.setdefault((event['cat'], event['name'], event['id']), []).append(event)
    for track, slices in tracks.items():
        found += slice_faults(track, slices)
    found += [f'track {track} has no name' for track in set(tracks) - named]
    return found + flow_faults(flows, tracks)
