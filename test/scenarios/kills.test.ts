/** kill -9 at random moments, repeatedly, under load: nothing that was answered is lost, and the ledger adds up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { Random } from '#test/doubles/random.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { type Answered, answeredOtherwise, Customer, type Order } from '#test/doubles/service/customer.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { replayedDocuments, viewDocumentsOf } from '#test/doubles/service/view-documents.ts'

/**
 * Few kills, because each start takes seconds. `npm run test:crash` kills fifty times, `npm run test:faults` each
 * service under load.
 */
const KILLS = 3

/**
 * Most of them end at once, so that many jobs are accepted on few cores. They include every mode and every kind of end.
 */
const orders: readonly [Order, ...Order[]] = [
  { url: at('/captioned.mp4'), mode: 'native', end: 'completed' },
  { url: at('/captioned.mp4?another=1'), mode: 'auto', end: 'completed' },
  { url: at('/speech.mp3'), mode: 'native', end: 'captions_unavailable' },
  ...['native', 'native', 'native', 'auto', 'auto', 'auto', 'generate', 'generate'].map(
    (mode): Order => ({ url: at('/nothing.mp4'), mode, end: 'video_unavailable' }),
  ),
  { url: at('/speech.mp3'), mode: 'auto', end: 'completed' },
  { url: at('/speech.mp3?another=1'), mode: 'generate', end: 'completed' },
]

/**
 * Starts the service and kills it at a random time, maybe before it serves: the service alone, or with all its parts.
 */
async function liveAndDie({ service }: Setting, chance: Random): Promise<void> {
  if (chance.chance(0.2)) {
    service.spawn()
    await sleep(chance.between(300, 1200))
  } else {
    await service.start()
    await sleep(chance.between(20, 1500))
  }
  await (chance.chance(0.5) ? service.cut() : service.end('SIGKILL'))
}

/** Kills the service when `enough` holds, while it waits for a transcription. */
async function dieListening({ service, speech }: Setting, enough: () => boolean): Promise<void> {
  if (speech === undefined) throw new Error('there is no speech endpoint')
  speech.behaviour = { hang: true }
  await until('the service has done enough, and listens', () => enough() && speech.underWay > 0)
  await service.end('SIGKILL')
  speech.behaviour = {}
}

/** Whether the last step has three starts more than StepFailed events: its workers were killed three times. */
function endedThreeWorkers(history: readonly StoredEvent[]): boolean {
  const steps = (wanted: string): string[] =>
    history.flatMap(({ type, data }) => (type === wanted && 'step' in data ? [data.step] : []))
  const last = steps('StepStarted').at(-1)
  const countOf = (wanted: string): number => steps(wanted).filter((step) => step === last).length
  return countOf('StepStarted') - countOf('StepFailed') >= 3
}

describe('kill -9, repeatedly', function () {
  // Many processes take longer for each start, and the claims of the killed ones have to run out.
  this.timeout(startScript === 'start' ? 240_000 : 900_000)
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)

  it(`under load loses nothing that was answered (SEED=${seed})`, async () => {
    const chance = new Random(`${seed}`)
    await using setting = await Setting.start({
      apart: true,
      media: ['captioned.mp4', 'speech.mp3'],
      // Few slots on few cores: a step ends within most runs.
      env: {
        RATE_HEAVY_FACTOR: '100',
        RATE_POLLS_PER_MINUTE: '100000',
        // This many starts on a busy machine take longer than the usual window.
        JOB_WINDOW_SECONDS: '900',
        FETCH_SLOTS: '2',
        CAPTION_SLOTS: '2',
        SPEECH_SLOTS: '2',
      },
    })
    const { service } = setting
    const plans = ['starter', 'starter', 'pro', 'pro'] as const
    const clients = await Promise.all(plans.map((plan) => setting.client({ plan })))
    // Only the service has the file open, as in operation, so it has to recover what a kill leaves in it.
    await setting.closeBackDoor()

    const customers = clients.map((client, i) => new Customer(client, new Random(`${seed}/${i}`), orders, [200, 1000]))
    const stop = new AbortController()
    const shopping = Promise.all(customers.map((customer) => customer.run(stop.signal)))
    const answers = (): Answered[] => customers.flatMap(({ answered }) => answered)
    // However the random kills fall, these runs have work to lose, and some is interrupted.
    await dieListening(setting, () => answers().length > KILLS)
    for (let kill = 0; kill < KILLS; kill++) await liveAndDie(setting, chance)
    stop.abort()
    await shopping
    await service.start()

    const answered = answers()
    expect(customers.flatMap(({ complaints }) => complaints)).to.deep.equal([])
    const wrong = await answeredOtherwise(answered)
    const events = await setting.rest()
    const histories = Map.groupBy(events, ({ stream }) => stream)
    const isKilled = ({ jobId, end }: (typeof wrong)[0]) =>
      end === 'internal_error' && endedThreeWorkers(histories.get(`job-${jobId}`) ?? [])
    expect(wrong.filter((one) => !isKilled(one))).to.deep.equal([])
    const keyed = answered.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    expect(new Set(keyed.map(({ jobId }) => jobId)).size).to.equal(keyed.length)

    const { complaints, balances } = audit(events)
    expect(complaints).to.deep.equal([])
    const begunAgain = events.filter(({ type, data }) => type === 'StepStarted' && data.attempt > 1)
    expect(begunAgain, 'work was interrupted').to.have.length.above(0)
    for (const client of clients) expect(await client.credits()).to.equal(balances.get(client.orgId))
    const accepted = new Set(events.flatMap(({ type, data }) => (type === 'CreditsDebited' ? data.jobId : [])))
    expect(answered.filter(({ jobId }) => !accepted.has(jobId))).to.deep.equal([])
    const unanswered = customers.reduce((sum, customer) => sum + customer.unanswered, 0)
    expect(accepted.size - answered.length).to.be.within(0, unanswered)

    const replayed = await replayedDocuments(await setting.backDoor(), service.dataDir)
    // Sums are written within a second.
    await until('the views show everything', async () => isDeepStrictEqual(await viewDocumentsOf(service), replayed))
    await service.printed('history', 'verify')
    expect(await service.end('SIGTERM')).to.include({ code: 0 })
    expect(await viewDocumentsOf(service)).to.deep.equal(replayed)
    await until('nothing that it started runs any more', () => service.orphans === 0)
  })
})
