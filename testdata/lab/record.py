#!/usr/bin/env python3
"""Record the REST answers a watermark triage needs: record.py BASE OUTDIR [NAME_REGEX] [-gap S] [-warm S] [-ended]

One gzip file a job, JSON lines {t, path, status, body} in the order read; a path read twice is two samples.
Metrics of the Kafka client, of shuffles and of buffers are left out.
"""
import argparse
import gzip
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request

NOISE = re.compile(r'KafkaConsumer\.|Shuffle\.|mailboxLatency|Netty|numBuffers|numBytes')
ENDED = ('FINISHED', 'CANCELED', 'FAILED')
UNSAFE = re.compile(r'[^A-Za-z0-9_.-]+')


class Recorder:
    def __init__(self, base, gap, warm, ended):
        self.base, self.gap, self.warm, self.ended = base, gap, warm, ended
        self.fetched = self.good_until = 0

    def get(self, path):
        try:
            with urllib.request.urlopen(self.base + path, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def fresh(self):
        """Everything read in the next 7 s comes from one metric fetch: the JobManager fetches on demand, at most every
        10 s, and answers the request that triggers a fetch from the old one."""
        if time.time() < self.good_until:
            return
        time.sleep(max(0, self.fetched + 10.3 - time.time()))
        self.get('/taskmanagers/metrics')
        self.fetched = time.time()
        self.good_until = self.fetched + 7
        time.sleep(1.5)

    def json(self, path):
        return json.loads(self.get(path)[1])

    def record(self, out, path):
        t = int(time.time() * 1000)
        status, raw = self.get(path)
        try:
            body = json.loads(raw)
        except ValueError:
            body = raw.decode('utf8', 'replace')
        out.write(json.dumps({'t': t, 'path': path, 'status': status, 'body': body}, separators=(',', ':')) + '\n')
        return body

    def sample(self, out, job, first):
        if first:
            for path in ('/overview', '/config', '/jobmanager/config', '/taskmanagers'):
                self.record(out, path)
        self.record(out, '/jobs/overview')
        details = self.record(out, f'/jobs/{job}')
        if first:
            for path in ('plan', 'config', 'checkpoints/config'):
                self.record(out, f'/jobs/{job}/{path}')
        for path in ('exceptions?maxExceptions=5', 'checkpoints', 'metrics?get=numRestarts,uptime,fullRestarts,restartingTime,runningTime'):
            self.record(out, f'/jobs/{job}/{path}')
        for vertex in details.get('vertices', []):
            root = f"/jobs/{job}/vertices/{vertex['id']}"
            for path in ('/watermarks', '/subtasktimes', '/backpressure', ''):
                self.record(out, root + path)
            ids = self.record(out, root + '/metrics')
            ids = [m['id'] for m in ids if not NOISE.search(m['id'])] if isinstance(ids, list) else []
            batch, size = [], 0
            for metric in ids + [None]:  # Flink answers 404 to a request line above 4,096 bytes
                quoted = urllib.parse.quote(metric, safe='/.') if metric else ''
                if batch and (metric is None or size + len(quoted) > 3500 or len(batch) >= 60):
                    self.record(out, root + '/metrics?get=' + ','.join(batch))
                    batch, size = [], 0
                batch.append(quoted)
                size += len(quoted) + 1
            self.record(out, root + '/subtasks/metrics')
            self.record(out, root + '/jm-operator-metrics')

    def run(self, directory, name):
        os.makedirs(directory, exist_ok=True)
        jobs = [j for j in self.json('/jobs/overview')['jobs'] if re.search(name, j['name']) and (self.ended or j['state'] not in ENDED)]
        time.sleep(self.warm)
        files, begin = {}, time.time()
        for job in jobs:
            stem = UNSAFE.sub('_', job['name'])[:60]
            if os.path.join(directory, stem) in [os.path.splitext(os.path.splitext(f.name)[0])[0] for f in files.values()]:
                stem += '-' + job['jid'][:6]
            files[job['jid']] = gzip.open(os.path.join(directory, stem + '.jsonl.gz'), 'wt')
            self.fresh()
            self.sample(files[job['jid']], job['jid'], True)
        time.sleep(max(0, begin + self.gap - time.time()))
        self.good_until = 0  # a second sample of the same fetch would be no sample
        for job in jobs:
            self.fresh()
            with files[job['jid']] as out:
                self.sample(out, job['jid'], False)
        print(len(jobs), 'recorded')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('base')
    parser.add_argument('directory')
    parser.add_argument('name', nargs='?', default='.')
    parser.add_argument('-gap', type=float, default=15)
    parser.add_argument('-warm', type=float, default=0)
    parser.add_argument('-ended', action='store_true', help='jobs that have ended too')
    args = parser.parse_args()
    Recorder(args.base, args.gap, args.warm, args.ended).run(args.directory, args.name)
