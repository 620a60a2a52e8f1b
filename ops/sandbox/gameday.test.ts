/** Walks through ops/gameday.md on a running service: from the symptom over the alert to the cause. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isAlert, ruleGroups, runbookOf } from '#ops/alerts/rules.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { RecordedSeries, type Sample } from '#test/doubles/otlp/recorded-series.ts'
import { describeWithPromtool } from '#test/doubles/promtool.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'
import { smallDisk, withSmallDisk } from '#test/doubles/small-disk.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { disturb } from './disturb.ts'
import { incidents } from './incidents.ts'

/** Half a second stands for a minute. */
const HURRY = 120
const STEP_MS = 250

const DISK_BYTES = 256 * 1024 ** 2

type Labels = Record<string, string>

/** A row of the table. `cause`: the labels that identify it. */
type Walk = { incident: string; symptom: string; alert: string; query: string; cause: Labels; limit: [string, number] }

function walkOf(row: string): Walk {
  const [incident = '', symptom = '', alert = '', query = '', shown = ''] = row
    .slice(2, -2)
    .split(' | ')
    .map((cell) => /`([^`]+)`/.exec(cell)?.[1] ?? '')
  const [, inside = '', sign = '', number] = /^\{(.*)\} ([<>]) (\d+)$/.exec(shown) ?? []
  const cause = Object.fromEntries([...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]))
  return { incident, symptom, alert, query, cause, limit: [sign, Number(number)] }
}

const isShown = ({ cause, limit: [sign, number] }: Walk, { labels, value }: Sample): boolean =>
  Object.entries(cause).every(([label, wanted]) => labels[label] === wanted) &&
  (sign === '<' ? value < number : value > number)

/** An alert has only some of these labels: not a breaker's state. */
const isAbout = ({ cause }: Walk, { labels }: Sample): boolean =>
  Object.entries(cause).every(([label, wanted]) => (labels[label] ?? wanted) === wanted)

const walks = readFileSync('ops/gameday.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map(walkOf)

/** The rules of these alerts only, because promtool evaluates all given rules for every question. */
const groups = ruleGroups({ dividedBy: HURRY }).map((group) => ({
  ...group,
  rules: group.rules.filter((rule) => isAlert(rule) && walks.some(({ alert }) => alert === rule.alert)),
}))

describe('ops/gameday.md', () => {
  it('has every incident, with the first query of its alert’s runbook', () => {
    expect(walks.map(({ incident }) => incident).sort()).to.deep.equal(Object.keys(incidents).sort())
    for (const { alert, query } of walks)
      expect(/^```promql\n(.+)/m.exec(readFileSync(runbookOf(alert), 'utf8'))?.[1], alert).to.equal(query)
  })
})

describe('npm run sandbox -- disturb', () => {
  const failureOf = (...words: string[]) =>
    disturb(words, readConfig({ DATA_DIR: 'nowhere' }), { print: () => {}, stop: AbortSignal.abort() }).catch(String)

  it('lists its incidents, and says if no service runs on the sandbox', async () => {
    expect(await failureOf('disturb', 'everything')).to.contain(`disturb ${Object.keys(incidents).join('|')}`)
    expect(await failureOf('disturb', 'breaker')).to.contain('no service runs on the sandbox')
  })
})

describeWithPromtool('a game day', () => {
  let open: AsyncDisposableStack
  let service: Service
  let dataDir: string
  const series = new RecordedSeries(STEP_MS)

  before(async function () {
    this.timeout(120_000)
    open = new AsyncDisposableStack()
    const receiver = open.use(await OtlpReceiver.start())
    receiver.onMetrics = (exported) => series.take(exported)
    // Without a small disk, the incident of the full disk is left out.
    const disk = open.use(await smallDisk(DISK_BYTES).catch(temporaryDirectory))
    dataDir = join(disk.path, 'data')
    const env = {
      ...receiver.env,
      OTEL_METRIC_EXPORT_INTERVAL: `${STEP_MS}`,
      OTEL_METRIC_EXPORT_TIMEOUT: `${STEP_MS}`,
      DATA_DIR: dataDir,
      JOB_WINDOW_SECONDS: '12',
      LEASE_SECONDS: '3',
      FETCH_SLOTS: '1',
      SPEECH_SLOTS: '1',
      SPEECH_ENGINE: 'endpoint',
      RATE_HEAVY_FACTOR: '100',
    }
    service = open.use(await Service.start({ env, args: ['--sandbox'] }))
  })
  after(() => open.disposeAsync())

  /** Whether the alert fires for the incident's cause, and the result of its runbook's query. */
  async function lookAt(walk: Walk): Promise<{ fires: boolean; answer: Sample[] }> {
    // Requests /ready as a container's health check does, which also measures the disk.
    await fetch(`${service.base}/ready`)
    const alert = `ALERTS{alertstate="firing", alertname="${walk.alert}"}`
    const [alerts = [], answer = []] = await series.ask(groups, [alert, walk.query])
    return { fires: alerts.some((sample) => isAbout(walk, sample)), answer }
  }

  const whenFiring = (walk: Walk, wanted: boolean) =>
    until(
      `${walk.alert} fires: ${wanted}`,
      async () => {
        const look = series.isRecorded && (await lookAt(walk))
        return look && look.fires === wanted && look
      },
      {
        everyMs: 2 * STEP_MS,
      },
    )

  const walkThrough = (walk: Walk) =>
    it(`${walk.incident}: customers get ${walk.symptom}, ${walk.alert} fires, the query of its runbook shows the cause; then it is over`, async () => {
      await whenFiring(walk, false)
      const lines: string[] = []
      const stop = new AbortController()
      const shell = { print: (line: string) => lines.push(line), stop: stop.signal }
      const ongoing = disturb(['disturb', walk.incident], readConfig({ DATA_DIR: dataDir }), shell)
      try {
        const noticed = until('customers notice', () => lines.some((line) => line.includes(walk.symptom)))
        await Promise.race([noticed, ongoing])
        const { answer } = await whenFiring(walk, true)
        expect(
          answer.some((sample) => isShown(walk, sample)),
          JSON.stringify(answer),
        ).to.equal(true)
      } finally {
        stop.abort()
        await ongoing
      }
      await whenFiring(walk, false)
    }).timeout(120_000)

  for (const walk of walks)
    if (walk.incident === 'full-disk') withSmallDisk(() => walkThrough(walk))
    else walkThrough(walk)

  it('leaves a service that is ready', async () => {
    await until('it is ready', async () => (await fetch(`${service.base}/ready`)).status === 200)
  }).timeout(60_000)
})
