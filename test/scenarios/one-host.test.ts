/** An operator on one host: Debian's Prometheus reads /metrics with the files of ops/observe/one-host. */
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ruleFile } from '#ops/alerts/rules.ts'
import { Engine } from '#ops/local-engines/engine.ts'
import { freePorts, isServed } from '#ops/local-engines/ports.ts'
import { seriesNames } from '#ops/prometheus/names.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Metric } from '#packages/telemetry/prometheus-name.ts'
import { processes, processName } from '#services/host/processes.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { describeWithPromtool, promtool } from '#test/doubles/promtool.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { leaveOut } from '#test/runner/left-out.ts'
import { Prometheus } from '#test/telemetry/prometheus.ts'

const folder = 'ops/observe/one-host'
const isAlone = startScript === 'start'
const names = isAlone ? ['all-in-one'] : processes.map(processName)
const jobs = names.map((name) => `video-intelligence/${name}`)
const targetsFile = `${folder}/${isAlone ? 'all-in-one' : 'distributed'}.yaml`

/** The port that the files name. */
const DOCUMENTED_PORT = 9464

/** What Prometheus answers about its rules. */
type Answered = { data: { groups: { rules: { name: string; health: string; state: string }[] }[] } }

/** The first of a row of free ports, one for each process. */
async function freeRange(): Promise<number> {
  for (;;) {
    const [first = 0] = await freePorts(1)
    const range = Array.from(names, (_, at) => first + at)
    if (!(await Promise.all(range.map(isServed))).includes(true) && first + names.length < 65_536) return first
  }
}

describe('metrics on one host', function () {
  this.timeout(isAlone ? 120_000 : 300_000)

  let first: number
  openedForAll(async () => {
    first = await freeRange()
    return Service.start({ apart: true, env: { METRICS_PORT: `${first}` } })
  })

  const scrape = async (at = 0): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${first + at}/metrics`)
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
    return answer.text()
  }

  it('are those of the table, under the names that rules and dashboards read', async () => {
    const text = await scrape()
    const exported = new Set(text.match(/^\w+(?=[{ ])/gm))
    const all = Object.values<Metric>(metrics)
    const documented = new Set(['target_info', ...all.flatMap(seriesNames)])
    expect([...exported].filter((name) => !documented.has(name))).to.deep.equal([])
    const counters = all.filter(({ kind }) => kind === 'counter').flatMap(seriesNames)
    expect([...exported]).to.include.members([
      ...counters,
      'video_build_info',
      'http_server_request_duration_seconds_bucket',
    ])
    expect(text).to.match(/^target_info\{.*service_namespace="video-intelligence"/m)
  })

  it('are reported for each process at a port of its own, as in the file of targets', async () => {
    const targets = parse(await readFile(targetsFile, 'utf8')) as { targets: string[]; labels: { job: string } }[]
    expect(targets.map(({ labels }) => labels.job)).to.deep.equal(jobs)
    expect(targets.flatMap((each) => each.targets)).to.deep.equal(
      jobs.map((_, at) => `127.0.0.1:${DOCUMENTED_PORT + at}`),
    )
    for (const [at, name] of names.entries())
      await until(`${name} shows its metrics`, async () =>
        (await scrape(at).catch(() => '')).includes(`service_name="${name}"`),
      )
  })

  describeWithPromtool('by promtool', () => {
    it('are in order', async () => {
      const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: await scrape(),
        encoding: 'utf8',
      })
      // Exit status 3: promtool would choose other names. These names are those of OpenTelemetry.
      expect([0, 3], stderr).to.include(status)
      expect(stderr).to.not.match(/error/i)
    })
  })

  const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0
  const describeWithPrometheus = hasPrometheus
    ? describe
    : (_title: string, body: () => void) =>
        leaveOut({ needs: 'prometheus', why: "Prometheus is missing: it is in Debian's package prometheus" }, body)

  describeWithPrometheus('by Prometheus', () => {
    it('are scraped, with rules and alerts, by the files as they are pasted', async () => {
      await using directory = await temporaryDirectory()
      const path = (name: string): string => join(directory.path, name)
      await mkdir(path('video-intelligence'))
      const given = await readFile(`${folder}/prometheus.yml`, 'utf8')
      await writeFile(path('prometheus.yml'), given.replaceAll('15s', '1s'))
      await writeFile(path('video-intelligence/rules.yaml'), ruleFile({ dividedBy: 60 }))
      const targets = (await readFile(targetsFile, 'utf8')).replaceAll(
        /127\.0\.0\.1:(\d+)/g,
        (_, port: string) => `127.0.0.1:${Number(port) - DOCUMENTED_PORT + first}`,
      )
      await writeFile(path('video-intelligence/targets.yaml'), targets)
      promtool('check', 'config', path('prometheus.yml'))
      const [port = 0] = await freePorts(1)
      const base = `http://127.0.0.1:${port}`
      const engine = new Engine(
        {
          name: 'prometheus',
          ports: [port],
          prepare: async () => {},
          command: [
            'prometheus',
            `--config.file=${path('prometheus.yml')}`,
            `--storage.tsdb.path=${path('data')}`,
            `--web.listen-address=127.0.0.1:${port}`,
          ],
          isReady: async () => (await fetch(`${base}/-/ready`).catch(() => undefined))?.ok === true,
        },
        { folder: directory.path, detached: false },
      )
      await using stack = new AsyncDisposableStack()
      stack.defer(() => engine.kill())
      await engine.start()
      const prometheus = new Prometheus(base)
      await until('every process is scraped', async () => {
        const up = await prometheus.query('up{job=~"video-intelligence/.+"} == 1')
        return up.length === jobs.length
      })
      const built = await prometheus.query('video_build_info')
      expect(built.map(({ metric }) => metric.job).sort()).to.deep.equal([...jobs].sort())
      await until('the rules are evaluated, and none reports missing data', async () => {
        const { data } = (await (await fetch(`${base}/api/v1/rules?type=alert`)).json()) as Answered
        const rules = data.groups.flatMap((group) => group.rules)
        const silent = rules.find(({ name }) => name === 'TelemetrySilent')
        return rules.every(({ health }) => health === 'ok') && silent?.state === 'inactive'
      })
    })
  })
})
