import { expect } from 'chai'
import pino from 'pino'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { OwnerNote } from './owner-note.ts'
import { PaceAdmission } from './pace-admission.ts'

const TIKTOK = 'https://www.tiktok.com/@a/video/7000000000000000001'
const X = 'https://x.com/a/status/1'
const FILE = 'https://files.example.com/a.mp4'

describe('admission, once the limit of reads per minute of a platform is reached', () => {
  let clock: ManualClock
  let telemetry: RecordingTelemetry
  /** The waits in this process by platform, seconds. */
  let line: Record<string, number>
  let views: MemoryViews
  beforeEach(() => {
    clock = new ManualClock()
    telemetry = new RecordingTelemetry()
    views = new MemoryViews({ clock, definition })
    line = {}
  })

  /** The admission of a process that fetches, or of one that does not. */
  function door({ fetches = true } = {}): PaceAdmission {
    const paceWaitSeconds = (platform: string, orgId: string) => line[`${platform} ${orgId}`] ?? 0
    const note = new OwnerNote({ views, clock, log: pino({ level: 'silent' }) }, { staleAfterMs: 1000 })
    const ports = { note, clock, telemetry, ...(fetches && { platforms: { paceWaitSeconds } }) }
    return new PaceAdmission(ports, { windowSeconds: 180 })
  }

  /** The owner notes that jobs of an organization wait for TikTok, the latest of them this long, seconds. */
  async function noted(orgId: string, seconds: number): Promise<void> {
    const lane = { oldestTurn: null, waiting: [] }
    const paceWaits = [{ platform: 'tiktok', orgId, until: clock.now() + seconds * 1000 }]
    const lanes = { standard: lane, priority: lane, bulk: lane }
    const counted = { platforms: [], countedTo: 0 }
    const note: OrchestratorNote = { writtenAt: clock.now(), checkpoint: 0, noted: [], ...counted, lanes, paceWaits }
    await views.putNote(ORCHESTRATOR_NOTE, note)
  }

  const refusalBy = (pace: PaceAdmission, url: string, orgId: string) =>
    pace.assertRoom(url, orgId).catch((error: unknown) => error)

  async function assertRefused(pace: PaceAdmission): Promise<void> {
    const refusal = await refusalBy(pace, TIKTOK, 'busy')
    expect(refusal).to.be.an('error').that.includes({ code: 'unavailable', retryAfterSeconds: 1 })
    expect((refusal as Error).message).to.contain('nothing was charged')
    const refused = telemetry.values.filter(({ name }) => name === metrics.paceJobsRefused.name)
    expect(refused.map(({ attributes }) => attributes)).to.deep.equal([{ 'video.platform': 'tiktok' }])
  }

  it('refuses a job that would wait over a third of its window in line, and says when one would not', async () => {
    line = { 'tiktok busy': 60.5 }
    await assertRefused(door())
  })

  it('in a process that does not fetch, refuses it only if jobs of the organization wait so long', async () => {
    await noted('busy', 60.5)
    const pace = door({ fetches: false })
    await assertRefused(pace)
    for (const [url, orgId] of [
      [TIKTOK, 'calm'],
      [X, 'busy'],
      [FILE, 'busy'],
    ] as const)
      expect(await refusalBy(pace, url, orgId), `${url} of ${orgId}`).to.equal(undefined)
    await clock.advance(500)
    expect(await refusalBy(pace, TIKTOK, 'busy'), 'a third of the window away').to.equal(undefined)
  })

  it('gives estimates the longer wait, ignoring past ones and an outdated note', async () => {
    line = { 'tiktok busy': 20 }
    await noted('busy', 30)
    const pace = door()
    const wait = () => Promise.all([TIKTOK, X, FILE].map((url) => pace.waitSeconds(url, 'busy')))
    expect(await wait()).to.deep.equal([30, 0, 0])
    await noted('busy', 5)
    await clock.advance(6000)
    expect(await wait()).to.deep.equal([20, 0, 0])
    line = {}
    expect(await wait()).to.deep.equal([0, 0, 0])
    await noted('busy', 60)
    await clock.advance(1000)
    expect(await wait()).to.deep.equal([59, 0, 0])
    await clock.advance(10_000)
    expect(await wait()).to.deep.equal([0, 0, 0])
  })
})
