import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })

describe('accepting a job with a backlog', () => {
  let ingress: StartedIngress
  beforeEach(async () => {
    ingress = await startIngress({ clock })
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  const lane = { oldestTurn: null, waiting: [] }
  /** The owner's note about the standard lane. */
  async function noted(more: object, ageMs = 0): Promise<void> {
    const lanes = { standard: { ...lane, ...more }, priority: lane, bulk: lane }
    const counted = { platforms: [], countedTo: 0 }
    const progress = { checkpoint: 0, noted: [] }
    const note: OrchestratorNote = { writtenAt: clock.now() - ageMs, ...progress, ...counted, lanes, paceWaits: [] }
    await ingress.views.putNote(ORCHESTRATOR_NOTE, note)
  }
  const minuteAgo = (): number => clock.now() - 61_000

  it('refuses everyone in a lane while an organization has waited a third of the window for a turn', async () => {
    const acme = await ingress.org()
    await noted({ oldestTurn: minuteAgo() })
    const { status, headers, body } = await acme.post('/v1/transcript', native)
    expect([status, body.error]).to.deep.equal([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
    expect(await acme.credits()).to.equal(50)
    const pro = await ingress.org('pro')
    expect((await pro.post('/v1/transcript', native)).status, 'another lane').to.equal(202)
  })

  it('refuses only an organization with a step of its own that waits so long', async () => {
    const [acme, other] = [await ingress.org(), await ingress.org()]
    await noted({ waiting: [{ orgId: acme.orgId, since: minuteAgo() }] })
    expect((await acme.post('/v1/transcript', native)).status).to.equal(503)
    expect((await other.post('/v1/transcript', native)).status).to.equal(202)
  })

  it('refuses no one while no owner writes the note, and raises one alarm', async () => {
    const acme = await ingress.org()
    await noted({ oldestTurn: minuteAgo(), waiting: [{ orgId: acme.orgId, since: minuteAgo() }] }, 10_001)
    expect((await acme.post('/v1/transcript', native)).status).to.equal(202)
    expect((await acme.post('/v1/transcript', native)).status).to.equal(202)
    expect(ingress.lines.filter(({ alarm }) => alarm === 'no_owner')).to.have.length(1)
  })

  it('still answers for a job that was already accepted', async () => {
    const acme = await ingress.org()
    const first = await acme.post('/v1/transcript', native, byKey('k'))
    await noted({ waiting: [{ orgId: acme.orgId, since: minuteAgo() }] })
    expect((await acme.post('/v1/transcript', native, byKey('k'))).text).to.equal(first.text)
  })
})
