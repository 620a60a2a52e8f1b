import { expect } from 'chai'
import { pino } from 'pino'
import type { StepTask } from '#contracts/generated/messages.ts'
import { MemoryShardOwnership } from '#packages/adapters/memory/shard-ownership.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { Newest } from '#packages/adapters/newest.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { perStep } from '#packages/domain/job/events.ts'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, type Shard, shardOf } from '#packages/ports/shards.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { completed, started, World } from './orchestrator.harness.ts'
import { ShardOwner } from './shard-owner.ts'

class WatchedQueue extends MemoryWorkQueue {
  readonly published: string[] = []

  override async publish(task: StepTask): Promise<void> {
    this.published.push(task.jobId)
    return super.publish(task)
  }
}

/** One process that owns shards. */
class Process {
  readonly queue = new WatchedQueue()
  readonly telemetry = new RecordingTelemetry()
  readonly owner: ShardOwner
  readonly #end = new AbortController()
  readonly ended: Promise<void>

  constructor({ store, views, clock, ledgers }: World, ownership: ShardOwnership) {
    const log = pino({ level: 'silent' })
    const { queue, telemetry } = this
    const ports = { store, views, clock, ledgers, ids: systemIds, log, queue, telemetry, ownership }
    this.owner = new ShardOwner(ports, { slots: perStep(() => 10), windowSeconds: 180, releaseClaimsAtStart: false })
    this.ended = this.owner.run(this.#end.signal)
  }

  /** The jobs that were published since the last look. */
  async published(): Promise<string[]> {
    await settle()
    return this.queue.published.splice(0).sort()
  }

  get shards(): number {
    return [...(this.telemetry.gauges.get(metrics.shardsOwned.name)?.() ?? [])][0]?.value ?? 0
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.ended
  }
}

/** Ids of organizations: of an even shard, and of an odd one. */
const [even, odd] = ['00-even', '07-odd']

describe('the owner of shards', () => {
  let world: World
  const processes: Process[] = []
  const start = (ownership: ShardOwnership): Process => {
    const process = new Process(world, ownership)
    processes.push(process)
    return process
  }

  beforeEach(async () => {
    world = new World()
    for (const orgId of [even, odd]) await world.organization(orgId)
  })
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.stop()
  })

  it('moves on the jobs of its shards alone, takes over those of another that leaves, and gives up those of one that comes', async () => {
    const ownership = new MemoryShardOwnership()
    const [one, other] = [start(ownership), start(ownership)]
    await world.job(even, '00-1')
    await world.job(odd, '07-1')
    await world.clock.advance(10)
    expect([await one.published(), await other.published()]).to.deep.equal([['00-1'], ['07-1']])
    expect([one.shards, other.shards]).to.deep.equal([32, 32])
    await other.stop()
    await world.job(odd, '07-2')
    await world.clock.advance(10)
    expect(await one.published(), 'what the other had published may be lost').to.deep.equal(['00-1', '07-1', '07-2'])
    expect([one.shards, other.shards]).to.deep.equal([64, 0])
    const third = start(ownership)
    await world.clock.advance(10)
    expect(await third.published()).to.deep.equal(['07-1', '07-2'])
    await one.published()
    await world.append(odd, '07-1', 0, completed(odd))
    await world.job(odd, '07-3')
    await world.clock.advance(10)
    expect([await one.published(), await third.published()]).to.deep.equal([[], ['07-3']])
    expect(await world.settlementsOf(odd)).to.have.length(1)
  })

  it('ends what it had begun before it goes on with other shards, and changes nothing where both do the same', async () => {
    const shards = new Newest<ReadonlySet<Shard>>()
    shards.set(allShards)
    const fixed = (set: Newest<ReadonlySet<Shard>>): ShardOwnership => ({ owned: (signal) => set.follow(signal) })
    start(fixed(shards))
    start(fixed(shards))
    await world.job(odd, '07-1', { windowSeconds: 5 })
    await world.debit(even, '00-1')
    for (const set of [[shardOf(odd)], [], [shardOf(even)], [shardOf(odd), shardOf(even)]]) {
      await world.clock.advance(6000)
      shards.set(new Set(set))
    }
    await world.clock.advance(20_000)
    expect(await world.typesOf('07-1')).to.deep.equal(['JobRequested', 'JobFailed'])
    expect(await world.settlementsOf(even)).to.have.length(1)
    expect(await world.settlementsOf(odd)).to.have.length(1)
  })

  it('goes on as it does where it is told of the same shards again', async () => {
    const shards = new Newest<ReadonlySet<Shard>>()
    const { owner, ...process } = start({ owned: (signal) => shards.follow(signal) })
    shards.set(new Set([1, 2]))
    await owner.ready
    await world.job(odd, '07-1')
    await settle()
    shards.set(new Set([2, 1]))
    await world.clock.advance(100)
    expect(process.queue.published).to.deep.equal(['07-1'])
  })

  it('is ready without shards, and where nobody tells of any', async () => {
    const silent = start({ owned: (signal) => new Newest<ReadonlySet<Shard>>().follow(signal) })
    const none = new Newest<ReadonlySet<Shard>>()
    none.set(new Set())
    const idle = start({ owned: (signal) => none.follow(signal) })
    await idle.owner.ready
    expect(idle.owner.lag.behindMs).to.equal(undefined)
    await world.clock.advance(5000)
    await silent.owner.ready
    expect(silent.owner.lag.behindMs).to.equal(Number.POSITIVE_INFINITY)
  })

  it('ends with the error of its orchestrator', async () => {
    world.store.follow = async function* () {
      yield* []
      throw new Error('the feed is damaged')
    }
    const { ended } = start(new MemoryShardOwnership())
    processes.splice(0)
    expect(await ended.catch((error: Error) => error.message)).to.equal('the feed is damaged')
  })

  describe('of a job whose id is in another shard than its ledger', () => {
    const elsewhere = 'f0-of a release before shards'

    it('reads its stream every second, and brings it to its end', async () => {
      const shards = new Newest<ReadonlySet<Shard>>()
      shards.set(new Set([shardOf(odd)]))
      const process = start({ owned: (signal) => shards.follow(signal) })
      await world.job(odd, elsewhere)
      await world.clock.advance(1100)
      expect(await process.published()).to.deep.equal([elsewhere])
      await world.append(odd, elsewhere, 0, started('fetch'))
      await world.clock.advance(20_000)
      expect(await process.published(), 'it is claimed').to.deep.equal([])
      await world.append(odd, elsewhere, 1, completed(odd))
      await world.clock.advance(1100)
      expect(await world.settlementsOf(odd)).to.have.length(1)
    })

    it('knows it from its stream when it takes the ledger over, and leaves it to the owner of the ledger', async () => {
      await world.job(odd, elsewhere)
      await world.append(odd, elsewhere, 0, started('fetch'))
      await world.clock.advance(20_000)
      const all = new Newest<ReadonlySet<Shard>>()
      all.set(new Set([shardOf(odd)]))
      const other = new Newest<ReadonlySet<Shard>>()
      other.set(new Set([...allShards].filter((shard) => shard !== shardOf(odd))))
      const owner = start({ owned: (signal) => all.follow(signal) })
      const stranger = start({ owned: (signal) => other.follow(signal) })
      await world.clock.advance(12_000)
      expect(await world.typesOf(elsewhere)).to.deep.equal(['JobRequested', 'StepStarted'])
      expect(await owner.published(), 'its lease has run out').to.deep.equal([elsewhere])
      expect(await stranger.published()).to.deep.equal([])
    })
  })
})
