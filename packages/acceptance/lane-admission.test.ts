import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { allShards, shardOf } from '#packages/ports/shards.ts'
import { type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })

describe('accepting a job with a backlog', () => {
  let ingress: StartedIngress
  beforeEach(async () => {
    ingress = await startIngress({ clock })
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  const lane = { oldestTurn: null, lateOrganizations: [] }
  /** What the owner of the organization's shard says of the standard lane; all others have nothing to say. */
  async function noted({ orgId }: { orgId: string }, more: object, ageMs = 0): Promise<void> {
    const calm: ShardNote = {
      writtenAt: clock.now(),
      checkpoint: 0,
      noted: [],
      lanes: { standard: lane, priority: lane },
    }
    const told = {
      ...calm,
      writtenAt: clock.now() - ageMs,
      lanes: { standard: { ...lane, ...more }, priority: lane },
    }
    const own = shardOf(orgId)
    const notes = Array.from(allShards, (shard) => [shardNoteId(shard), shard === own ? told : calm] as const)
    await ingress.views.putNotes(new Map(notes))
  }
  const minuteAgo = (): number => clock.now() - 61_000

  it('refuses all of an owner while an organization has waited a third of the window for a turn', async () => {
    const acme = await ingress.org()
    await noted(acme, { oldestTurn: minuteAgo() })
    const { status, headers, body } = await acme.post('/v1/transcript', native)
    expect([status, body.error]).to.deep.equal([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
    expect(await acme.credits()).to.equal(50)
    const pro = await ingress.org('pro')
    expect((await pro.post('/v1/transcript', native)).status, 'another lane').to.equal(202)
  })

  it('refuses only an organization whose own step waits so long', async () => {
    const [acme, other] = [await ingress.org(), await ingress.org()]
    await noted(acme, { lateOrganizations: [acme.orgId] })
    expect((await acme.post('/v1/transcript', native)).status).to.equal(503)
    expect((await other.post('/v1/transcript', native)).status).to.equal(202)
  })

  it('refuses nobody while a shard has no owner that writes its note, and raises one alarm', async () => {
    const acme = await ingress.org()
    await noted(acme, { oldestTurn: minuteAgo(), lateOrganizations: [acme.orgId] }, 10_001)
    expect((await acme.post('/v1/transcript', native)).status).to.equal(202)
    expect((await acme.post('/v1/transcript', native)).status).to.equal(202)
    const alarms = ingress.lines.filter(({ alarm }) => alarm === 'shard_unowned')
    expect(alarms.map(({ shards }) => shards)).to.deep.equal([[shardOf(acme.orgId)]])
  })

  it('still answers for a job that was taken on already', async () => {
    const acme = await ingress.org()
    const first = await acme.post('/v1/transcript', native, byKey('k'))
    await noted(acme, { lateOrganizations: [acme.orgId] })
    expect((await acme.post('/v1/transcript', native, byKey('k'))).text).to.equal(first.text)
  })
})
