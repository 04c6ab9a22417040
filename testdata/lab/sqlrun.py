#!/usr/bin/env python3
"""Submit SQL scenarios through a SQL gateway: sqlrun.py --gateway HOST:PORT --kafka HOST:PORT FILE SCENARIO...

A scenario starts at `-- scenario: NAME`; statements end with `;`, inside a statement set with `|`.
Two shorthands keep the scenarios readable:
  @kafka NAME TOPIC DELAY [OPTION=VALUE ...]   "key,epochMillis" rows with WATERMARK ts - DELAY seconds ('-' for none)
  @sink NAME (COLUMNS)                         a sink that drops everything
"""
import argparse
import json
import re
import sys
import time
import urllib.error
import urllib.request

LINE = "line STRING, k AS SPLIT_INDEX(line, ',', 0), ts AS TO_TIMESTAMP_LTZ(CAST(SPLIT_INDEX(line, ',', 1) AS BIGINT), 3)"


def expand(statement, kafka):
    words = statement.split()
    if words[0] == '@kafka':
        name, topic, delay = words[1:4]
        options = {'connector': 'kafka', 'topic': topic, 'properties.bootstrap.servers': kafka, 'properties.group.id': 'lab-sql', 'scan.startup.mode': 'earliest-offset', 'format': 'raw'}
        options.update(w.split('=', 1) for w in words[4:])
        amount, unit = ('0', 'SECOND') if delay == '-' else (int(delay) // 60, 'MINUTE') if int(delay) >= 60 else (delay, 'SECOND')
        watermark = '' if delay == '-' else f", WATERMARK FOR ts AS ts - INTERVAL '{amount}' {unit}"
        pairs = ', '.join(f"'{k}'='{v}'" for k, v in options.items())
        return f'CREATE TABLE {name} ({LINE}{watermark}) WITH ({pairs})'
    if words[0] == '@sink':
        return f"CREATE TABLE {words[1]} {statement.split(None, 2)[2]} WITH ('connector'='blackhole')"
    return statement.replace('${kafka}', kafka).replace('|', ';')


def scenarios(path):
    for block in re.split(r'^-- scenario: ', open(path).read(), flags=re.M)[1:]:
        name, body = block.split('\n', 1)
        yield name.strip(), [s.strip() for s in body.split(';') if s.strip()]


class Gateway:
    def __init__(self, address):
        self.base = f'http://{address}/v1'
        self.session = self.call('POST', '/sessions', {})['sessionHandle']

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, method=method, data=data, headers={'content-type': 'application/json'})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def run(self, statement):
        """None when the statement succeeded, the deepest cause otherwise."""
        handle = self.call('POST', f'/sessions/{self.session}/statements', {'statement': statement})['operationHandle']
        operation = f'/sessions/{self.session}/operations/{handle}'
        while self.call('GET', operation + '/status')['status'] in ('INITIALIZED', 'PENDING', 'RUNNING'):
            time.sleep(0.2)
        try:
            self.call('GET', operation + '/result/0?rowFormat=JSON')
        except urllib.error.HTTPError as error:
            causes = re.findall(r'Caused by: ([^\n]*)', error.read().decode().replace('\\n', '\n'))
            return causes[-1] if causes else str(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--gateway', required=True)
    parser.add_argument('--kafka', required=True)
    parser.add_argument('file')
    parser.add_argument('scenario', nargs='+')
    args = parser.parse_args()
    known = dict(scenarios(args.file))
    failed = False
    for name in args.scenario:
        if name not in known:
            sys.exit(f'no such SQL scenario: {name}, there are {" ".join(known)}')
        gateway = Gateway(args.gateway)
        for statement in [f"SET 'pipeline.name'='sql-{name}'"] + known[name]:
            error = gateway.run(expand(statement, args.kafka))
            if error:
                print(f'{name} FAILED {error} in: {statement[:100]}')
                failed = True
                break
        else:
            print(f'{name} submitted')
    sys.exit(failed)


if __name__ == '__main__':
    main()
