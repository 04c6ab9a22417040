#!/usr/bin/env python3
"""Keep what a Prometheus scraped of jobs: pastrecord.py BASE OUT SINCE UNTIL [NAME_REGEX] [-every S]

SINCE and UNTIL are epoch seconds. OUT is gzip, a JSON line {m, t, v} a series: labels, epoch ms, values as text. What
tells nothing about event time is left out. -every keeps one sample in S seconds of each series.
"""
import argparse
import gzip
import json
import re
import urllib.parse
import urllib.request

NOISE = re.compile(r'Shuffle|buffers|KafkaConsumer|mailbox|numBytes|Checkpoint(Metadata|Persisted|Processed|ExternalPath)|initializationTime|changelog|hard|soft|Soft|Hard|PerSecond_|committedOffset')
NAMES = 'flink_(taskmanager_job_task|jobmanager_job)_.*'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('base')
    p.add_argument('out')
    p.add_argument('since', type=int)
    p.add_argument('until', type=int)
    p.add_argument('regex', nargs='?', default='.*')
    p.add_argument('-every', type=float, default=0)
    a = p.parse_args()
    query = '{__name__=~"%s",job_name=~"%s"}[%ds]' % (NAMES, a.regex, a.until - a.since)
    url = a.base + '/api/v1/query?' + urllib.parse.urlencode({'query': query, 'time': a.until})
    with urllib.request.urlopen(url, timeout=60) as answer:
        result = json.load(answer)['data']['result']
    kept = 0
    with gzip.open(a.out, 'wt', compresslevel=9) as out:
        for series in sorted(result, key=lambda s: sorted(s['metric'].items())):
            if NOISE.search(series['metric']['__name__']):
                continue
            times, values, last = [], [], 0
            for t, v in series['values']:
                if t - last < a.every - 0.5:
                    continue
                last = t
                times.append(round(t * 1000))
                values.append(v)
            out.write(json.dumps({'m': series['metric'], 't': times, 'v': values}, separators=(',', ':'), sort_keys=True) + '\n')
            kept += 1
    print(kept, 'series')


if __name__ == '__main__':
    main()
