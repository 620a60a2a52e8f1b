import { expect } from 'chai'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { Newest } from '#packages/adapters/newest.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { completed, type Life, started, World } from './orchestrator.harness.ts'

/** Ownership that the test grants and revokes. */
class GivenOwnership implements Ownership {
  readonly #newest = new Newest<boolean>()

  constructor(isOwner?: boolean) {
    if (isOwner !== undefined) this.#newest.set(isOwner)
  }

  owned(signal: AbortSignal): AsyncIterable<boolean> {
    return this.#newest.follow(signal)
  }

  async give(isOwner: boolean): Promise<void> {
    this.#newest.set(isOwner)
    await settle()
  }
}

describe('one owner among orchestrators', () => {
  let world: World
  const live = (ownership: Ownership, telemetry = new RecordingTelemetry()): Life =>
    world.live({ ownership, telemetry, releaseClaimsAtStart: false })
  const published = async (life: Life): Promise<string[]> => (await life.tasks('fetch')).map(({ task }) => task.jobId)
  const note = async (): Promise<OrchestratorNote | undefined> =>
    (await world.views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])).get(ORCHESTRATOR_NOTE)

  beforeEach(async () => {
    world = new World()
    await world.organization('acme')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('has a standby that is ready, follows the events, and acts on nothing', async () => {
    const telemetry = new RecordingTelemetry()
    const standby = live(new GivenOwnership(false), telemetry)
    await standby.orchestrator.ready
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await world.job('acme', 'j2')
    await world.append('acme', 'j2', 0, completed)
    await world.clock.advance(250_000)
    expect(await published(standby)).to.deep.equal([])
    expect(await world.typesOf('j1')).to.deep.equal(['JobRequested'])
    expect(await world.settlementsOf('acme')).to.deep.equal([])
    expect(await note()).to.equal(undefined)
    expect(standby.orchestrator.lag.behindMs).to.equal(undefined)
    expect([...(telemetry.gauges.get(metrics.orchestratorOwner.name)?.() ?? [])]).to.deep.equal([{ value: 0 }])
    expect([...(telemetry.gauges.get(metrics.organizationsFailing.name)?.() ?? [])]).to.deep.equal([])
  })

  it('moves the work to a standby when the owner leaves; the standby continues all open jobs at once', async () => {
    const ownership = new MemoryOwnership()
    const [one, other] = [live(ownership), live(ownership)]
    for (const jobId of ['published', 'claimed', 'ended']) await world.job('acme', jobId)
    await settle()
    expect(await published(one)).to.have.members(['published', 'claimed', 'ended'])
    await world.append('acme', 'claimed', 0, started('fetch'))
    await settle()
    await one.crash()
    await world.append('acme', 'ended', 0, completed)
    expect(await published(other), 'what the first had published may be lost')
      .to.include('published')
      .and.not.include('claimed')
    expect(await world.settlementsOf('acme')).to.have.length(1)
    await world.clock.advance(30_000)
    expect(await published(other), 'its lease has run out').to.include('claimed')
  })

  it('stops acting when it loses ownership, and starts afresh when it regains it', async () => {
    const ownership = new GivenOwnership(true)
    const life = live(ownership)
    await world.job('acme', 'j1', { windowSeconds: 60 })
    expect(await published(life)).to.deep.equal(['j1'])
    await ownership.give(false)
    await world.clock.advance(2000)
    const before = await note()
    await world.job('acme', 'j2')
    await world.clock.advance(20_000)
    expect(await published(life)).to.deep.equal([])
    expect(await note()).to.deep.equal(before)
    await ownership.give(true)
    expect(await published(life)).to.deep.equal(['j1', 'j2'])
    await world.clock.advance(40_000)
    expect(await world.typesOf('j1')).to.deep.equal(['JobRequested', 'JobFailed'])
  })

  it('frees the places of jobs that another owner has moved on meanwhile', async () => {
    const ownership = new GivenOwnership(true)
    const life = world.live({ ownership, outstanding: 1 })
    await world.job('acme', 'j1')
    await world.job('acme', 'j2')
    expect(await published(life)).to.deep.equal(['j1'])
    await ownership.give(false)
    await world.append('acme', 'j1', 0, completed)
    await ownership.give(true)
    expect(await published(life)).to.deep.equal(['j2'])
  })

  it('changes nothing while there are two for a while', async () => {
    const owners = [new GivenOwnership(true), new GivenOwnership(true)]
    for (const ownership of owners) live(ownership)
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await world.debit('acme', 'j2')
    for (const isOwner of [false, true, false, true]) {
      await world.clock.advance(6000)
      await owners[0]?.give(isOwner)
    }
    await world.clock.advance(20_000)
    expect(await world.typesOf('j1')).to.deep.equal(['JobRequested', 'JobFailed'])
    expect(await world.settlementsOf('acme')).to.have.length(2)
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('waits until a process becomes the owner', async () => {
    const ownership = new GivenOwnership()
    const life = live(ownership)
    await life.orchestrator.ready
    await world.job('acme', 'j1')
    expect(await published(life)).to.deep.equal([])
    await ownership.give(true)
    expect(await published(life)).to.deep.equal(['j1'])
  })
})
