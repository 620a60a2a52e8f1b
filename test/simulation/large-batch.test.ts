import { expect } from 'chai'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { steps } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { plainRequest, withoutKey } from '#test/doubles/ingress/application.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { traceparent } from './ingress-node.ts'
import { registerOrganizations } from './organizations.ts'
import { type Process, processesOf } from './processes.ts'
import { makeTalk } from './talk.ts'
import type { Video } from './videos.ts'
import { World } from './world.ts'

const request = { ...plainRequest, kind: 'transcript', mode: 'generate' } as const

/** A service without faults, in simulated time, with two customers on the plan Pro. */
async function startWorld() {
  const world = new World(1, { keepsTrace: false, mutation: {} })
  world.faults.on = false
  const quiet = { flood: 0, limitsKeys: false, deadlyInputs: false, maxSkewMs: 0, webhooks: 0, longPast: false }
  const embedded = { mode: 'embedded', appendsTogether: true, stepsTogether: [steps], slots: 4, windowSeconds: 60 }
  Object.assign(world.settings, { ...quiet, ...embedded, organizations: 2, start: world.scheduler.now })
  const organizations = await registerOrganizations(world)
  const processes = processesOf(world)
  for (const one of processes) one.start()
  const service = processes.find(({ parts }) => parts.includes('ingress')) as Process
  const operator = processes.find(({ parts }) => parts.includes('operator')) as Process
  await world.scheduler.run(
    () => service.nodes.length > 0 && operator.operator !== undefined,
    world.scheduler.now + 60_000,
  )
  for (const { orgId } of organizations) {
    await inTime(world, operator.operator?.organizations.changePlan(orgId, 'pro'))
    await inTime(world, operator.operator?.organizations.grant(orgId, 100_000))
  }
  const [own, other] = organizations.map(({ orgId }) => orgId)
  if (own === undefined || other === undefined) throw new Error('there are two customers')
  return { world, processes, node: service.nodes[0] as NonNullable<Process['nodes'][0]>, own, other }
}

/** Lets simulated time pass until a call is answered. */
async function inTime<T>(world: World, call: Promise<T> | undefined): Promise<T> {
  let isOver = false
  const over = (call as Promise<T>).finally(() => {
    isOver = true
  })
  over.catch(() => {})
  await world.scheduler.run(() => isOver, world.scheduler.now + 60_000)
  return over
}

/** The URL of a video with speech that takes this long, milliseconds. */
function video(world: World, url: string, ms: number): string {
  const plan = { first: [], last: { ms: 100, type: 'result' } } as const
  const speech = { first: [], last: { ms, type: 'result' } } as const
  const plans = { fetch: plan, caption: plan, 'speech-to-text': speech, extract: plan } as unknown as Video['plans']
  world.videos.set(url, { url, plans, talk: makeTalk(world.random.fork(url), 0) })
  return url
}

async function jobEventsOf(world: World): Promise<StoredEvent[]> {
  const store = new MemoryEventStore({ clock: systemClock, events: world.events, codec: world.codec })
  const events: StoredEvent[] = []
  const end = new AbortController()
  for await (const piece of store.follow({ after: 0, prefixes: ['job-'], signal: end.signal })) {
    events.push(...piece.events)
    if (piece.caughtUp) break
  }
  end.abort()
  return events
}

const SINGLE_EVERY_MS = 4000

/** How long a few calls of the store may take, milliseconds of simulated time. */
const A_TURN_MS = 100

/**
 * The longest that single jobs of each customer take, milliseconds, while one customer has a batch of this many items.
 */
async function longestBeside(items: number): Promise<{ own: number; other: number; completed: number }> {
  const { world, processes, node, own, other } = await startWorld()
  const { scheduler } = world
  const singles = new Map<string, string>()
  const askFor = async (orgId: string, n: number): Promise<void> => {
    const url = video(world, `https://cdn.example.com/single/${orgId}/${n}.mp4`, 1500)
    const metadata = { orgId, causationId: `single ${n}`, traceparent }
    const applied = { ...withoutKey(orgId), request: { ...request, url }, metadata }
    singles.set((await node.acceptance.accept(applied)).jobId, orgId)
  }
  let isOver = items === 0
  const batchId =
    items > 0 &&
    (
      await inTime(
        world,
        node.batches.create({
          ...withoutKey(own),
          request,
          videos: Array.from({ length: items }, (_, n) => ({
            url: video(world, `https://cdn.example.com/batch/${n}.mp4`, 2000),
            line: n + 1,
          })),
          source: null,
          maxCredits: null,
          skippedLines: 0,
          webhook: undefined,
          tellsItems: false,
          metadata: { orgId: own, causationId: 'the batch', traceparent },
        }),
      )
    ).batchId
  for (let n = 0; n < 60 || !isOver; n++) {
    for (const orgId of [own, other]) void askFor(orgId, n)
    await scheduler.run(() => false, scheduler.now + SINGLE_EVERY_MS)
    isOver ||= batchId !== false && (await inTime(world, node.batches.get(own, batchId))).status === 'ended'
  }
  await scheduler.run(() => false, scheduler.now + 60_000)
  const events = await jobEventsOf(world)
  for (const one of processes) one.end()
  await scheduler.run(() => false, scheduler.now)
  const longest = { own: 0, other: 0, completed: 0 }
  const begun = new Map(
    events.flatMap(({ type, stream, recordedAt }) => (type === 'JobRequested' ? [[stream, recordedAt]] : [])),
  )
  for (const { type, stream, recordedAt } of events) {
    if (type !== 'JobCompleted') continue
    longest.completed++
    const orgId = singles.get(stream.slice('job-'.length))
    const took = recordedAt - (begun.get(stream) ?? 0)
    if (orgId === own) longest.own = Math.max(longest.own, took)
    if (orgId === other) longest.other = Math.max(longest.other, took)
  }
  expect(events.filter(({ type }) => type === 'JobFailed')).to.deep.equal([])
  return longest
}

describe('a batch of 2,000', function () {
  this.timeout(300_000)

  it('completes, and delays neither the jobs of another customer nor its own single ones', async () => {
    const alone = await longestBeside(0)
    const beside = await longestBeside(2000)
    expect(beside.completed).to.be.at.least(2000 + alone.completed)
    expect(beside.other).to.be.at.most(alone.other + A_TURN_MS)
    expect(beside.own).to.be.at.most(alone.own + A_TURN_MS)
  })
})
