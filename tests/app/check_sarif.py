#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a SARIF log against the rules of the standard (SARIF 2.1.0, OASIS; the sections are named below)."""
import re

LEVELS = {'none', 'note', 'warning', 'error'}
KINDS = {'notApplicable', 'pass', 'fail', 'review', 'open', 'informational'}
COLUMN_KINDS = {'utf16CodeUnits', 'unicodeCodePoints'}
SEMVER = re.compile(r'\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?')
# RFC 3986 characters, with percent signs only in front of two hexadecimal digits.
URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")

# Members that each object may have and those that it must have, of what assay writes.
MEMBERS = {
    'log': ({'$schema', 'version', 'runs', 'properties'}, {'version', 'runs'}),
    'run': ({'tool', 'invocations', 'artifacts', 'results', 'columnKind', 'properties', 'logicalLocations'}, {'tool'}),
    'tool': ({'driver', 'extensions'}, {'driver'}),
    'driver': ({'name', 'version', 'semanticVersion', 'rules', 'informationUri'}, {'name'}),
    'rule': ({'id', 'name', 'shortDescription', 'fullDescription', 'help', 'defaultConfiguration', 'properties'}, {'id'}),
    'result': ({'ruleId', 'ruleIndex', 'level', 'kind', 'message', 'locations', 'partialFingerprints', 'properties',
                'suppressions'}, {'message'}),
    'suppression': ({'kind', 'status', 'justification', 'guid', 'location', 'properties'}, {'kind'}),
    'location': ({'id', 'physicalLocation', 'logicalLocations', 'message'}, set()),
    'physicalLocation': ({'artifactLocation', 'region'}, {'artifactLocation'}),
    'artifactLocation': ({'uri', 'uriBaseId', 'index'}, set()),
    'logicalLocation': ({'name', 'fullyQualifiedName', 'decoratedName', 'kind', 'index'}, set()),
    'invocation': ({'executionSuccessful', 'exitCode'}, {'executionSuccessful'}),
    'artifact': ({'location', 'length', 'roles', 'mimeType'}, set()),
}


class Checker:
    """Collects everything that is wrong with a log."""

    def __init__(self, log):
        self.faults = []
        self.log(log)

    def fault(self, where, text):
        self.faults.append(f'{where}: {text}')

    def members(self, where, kind, value):
        if not isinstance(value, dict):
            self.fault(where, 'is not an object')
            return False
        allowed, required = MEMBERS[kind]
        for name in sorted(value.keys() - allowed):
            self.fault(where, f'unknown member {name}')
        for name in sorted(required - value.keys()):
            self.fault(where, f'no member {name}')
        return not required - value.keys()

    def text(self, where, message):
        """3.11: a message has a text that is not empty."""
        if not isinstance(message, dict) or not isinstance(message.get('text'), str) or not message['text']:
            self.fault(where, 'no text')

    def log(self, log):
        """3.13: the log object."""
        if not self.members('log', 'log', log):
            return
        if log['version'] != '2.1.0':
            self.fault('log', f'version {log["version"]}')
        for i, run in enumerate(log['runs']):
            self.run(f'runs[{i}]', run)

    def run(self, where, run):
        """3.14: the run object."""
        if not self.members(where, 'run', run):
            return
        if run.get('columnKind', 'utf16CodeUnits') not in COLUMN_KINDS:
            self.fault(where, 'columnKind')
        rules = self.driver(f'{where}.tool', run['tool'])
        for i, invocation in enumerate(run.get('invocations', [])):
            if self.members(f'{where}.invocations[{i}]', 'invocation', invocation) \
                    and not isinstance(invocation['executionSuccessful'], bool):
                self.fault(f'{where}.invocations[{i}]', 'executionSuccessful is not a truth value')
        artifacts = run.get('artifacts', [])
        for i, artifact in enumerate(artifacts):
            if self.members(f'{where}.artifacts[{i}]', 'artifact', artifact):
                self.artifact_location(f'{where}.artifacts[{i}].location', artifact.get('location', {}), None)
        for i, result in enumerate(run.get('results', [])):
            self.result(f'{where}.results[{i}]', result, rules, artifacts)

    def driver(self, where, tool):
        """3.18, 3.19: the tool and its component; 3.49: rules, with ids that occur once."""
        if not self.members(where, 'tool', tool) or not self.members(f'{where}.driver', 'driver', tool['driver']):
            return []
        driver = tool['driver']
        if not driver['name']:
            self.fault(where, 'the tool has no name')
        if 'semanticVersion' in driver and not SEMVER.fullmatch(driver['semanticVersion']):
            self.fault(where, 'semanticVersion')
        rules = driver.get('rules', [])
        for i, rule in enumerate(rules):
            if not self.members(f'{where}.rules[{i}]', 'rule', rule):
                continue
            for name in ('shortDescription', 'fullDescription', 'help'):
                if name in rule:
                    self.text(f'{where}.rules[{i}].{name}', rule[name])
            if rule.get('defaultConfiguration', {}).get('level', 'warning') not in LEVELS:
                self.fault(f'{where}.rules[{i}]', 'level')
        ids = [rule.get('id') for rule in rules]
        if len(set(ids)) != len(ids):
            self.fault(where, 'a rule id occurs twice')
        return ids

    def result(self, where, result, rules, artifacts):
        """3.27: the result object; 3.52: its rule is that of the index."""
        if not self.members(where, 'result', result):
            return
        self.text(f'{where}.message', result['message'])
        if result.get('level', 'warning') not in LEVELS or result.get('kind', 'fail') not in KINDS:
            self.fault(where, 'level or kind')
        index = result.get('ruleIndex', -1)
        if not isinstance(index, int) or not -1 <= index < len(rules):
            self.fault(where, f'ruleIndex {index} of {len(rules)} rules')
        elif index >= 0 and result.get('ruleId') != rules[index]:
            self.fault(where, f'ruleId {result.get("ruleId")} is not rule {index}')
        for name, value in result.get('partialFingerprints', {}).items():
            if not isinstance(value, str) or not re.fullmatch(r'[\w.-]+/v\d+', name):
                self.fault(where, f'fingerprint {name}')
        for i, location in enumerate(result.get('locations', [])):
            self.location(f'{where}.locations[{i}]', location, artifacts)
        for suppression in result.get('suppressions', []):
            self.suppression(where, suppression)

    def suppression(self, where, suppression):
        """3.35: why a result does not count."""
        if not self.members(where, 'suppression', suppression):
            return
        if suppression['kind'] not in ('inSource', 'external'):
            self.fault(where, f'suppression of kind {suppression["kind"]}')
        if suppression.get('status', 'accepted') not in ('accepted', 'underReview', 'rejected'):
            self.fault(where, f'suppression with status {suppression["status"]}')

    def location(self, where, location, artifacts):
        """3.28 to 3.33: places."""
        self.members(where, 'location', location)
        physical = location.get('physicalLocation')
        if physical is not None and self.members(where, 'physicalLocation', physical):
            self.artifact_location(where, physical['artifactLocation'], artifacts)
        for logical in location.get('logicalLocations', []):
            self.members(where, 'logicalLocation', logical)
            if not logical.get('name') and not logical.get('fullyQualifiedName'):
                self.fault(where, 'a logical location without a name')

    def artifact_location(self, where, location, artifacts):
        """3.4: an address, and an index into the artifacts that has the same address."""
        self.members(where, 'artifactLocation', location)
        if 'uri' not in location or not URI.fullmatch(location['uri']):
            self.fault(where, f'uri {location.get("uri")}')
        if artifacts is None or 'index' not in location:
            return
        if not 0 <= location['index'] < len(artifacts):
            self.fault(where, f'index {location["index"]} of {len(artifacts)} artifacts')
        elif artifacts[location['index']]['location'].get('uri') != location['uri']:
            self.fault(where, 'the artifact of this index has another address')


def faults(log):
    """Lists what is wrong with a log, as sentences."""
    return Checker(log).faults
