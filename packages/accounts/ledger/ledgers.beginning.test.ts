import { expect } from 'chai'
import { eventId } from '#packages/ports/ids.ts'
import { debit, grant, ORG, settle, twoOnOneStore } from './ledger.harness.ts'
import type { Beginning, LedgerEntry } from './ledger-entry.ts'

/** A debit of 5 credits, or 1, that begins the stream of its job. */
function beginning(jobId: string, absentAt: Beginning['absentAt']): LedgerEntry & { begins: Beginning } {
  const own = debit(jobId, 5, 1)
  const stream = `job-${jobId}`
  const eventsFor = (credits: number) => {
    const data = { orgId: ORG, kind: 'transcript', code: 'internal', message: `${credits}`, used: null } as const
    const event = { type: 'JobFailed', data, id: eventId(stream, 'begin', data), metadata: own.metadata } as const
    return [credits, [event]] as const
  }
  return { ...own, begins: { stream, events: new Map([eventsFor(5), eventsFor(1)]), absentAt } }
}

/** Two processes that know the ledger of ORG, which has 50 credits. */
async function two() {
  const harness = await twoOnOneStore()
  const { one, other } = harness
  const { revision } = await one.ledgers.known(ORG)
  const begin = async ({ begins: { stream, events } }: ReturnType<typeof beginning>): Promise<void> => {
    await other.store.append(stream, 'no-stream', events.get(1) ?? [])
  }
  /** Another process accepts, ends and settles the job. */
  const takeOn = async (jobId: string): Promise<void> => {
    // Another event in between: the same debit at the same revision would be a repeat.
    await other.run(grant(1))
    await other.run(debit(jobId, 5))
    await begin(beginning(jobId, 'always'))
    await other.run(settle(jobId, 1))
  }
  return { ...harness, revision, begin, takeOn }
}

describe('a debit that begins a stream', () => {
  describe('if the store cannot append together', () => {
    for (const [how, isFed] of [
      ['the feed has brought the events of the other', true],
      ['a conflict shows the other', false],
    ] as const)
      it(`is not written for a job that another process has settled since the last look: ${how}`, async () => {
        const { one, revision, takeOn, fold } = await two()
        await takeOn('a')
        if (isFed) await one.feed()
        expect(await one.run(beginning('a', revision))).to.deep.equal({ type: 'taken' })
        expect((await fold()).balance).to.equal(50)
      })

    it('is not written for a job that was removed since', async () => {
      const { one, other, revision, takeOn, fold } = await two()
      await takeOn('a')
      await other.store.remove('job-a')
      expect(await one.run(beginning('a', revision))).to.deep.equal({ type: 'taken' })
      expect((await fold()).balance).to.equal(50)
    })

    it('is written without another look if the ledger is unchanged, or no other process knows the name', async () => {
      const { one, other, revision } = await two()
      one.store.reads.length = 0
      expect(await one.run(beginning('a', revision))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(await one.run(beginning('b', 'always'))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(one.store.reads).to.deep.equal([])
      expect(await one.run(beginning('c', revision))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(one.store.reads).to.deep.equal(['job-c'])
      expect(await other.store.read('job-a'), 'left to the caller').to.deep.equal([])
    })
  })

  describe('if it can', () => {
    it('is one append with the events for the debited amount', async () => {
      const { one, revision } = await two()
      one.store.canAppendTogether()
      await one.run(debit('others', 48))
      expect(await one.run(beginning('a', revision))).to.deep.equal({ type: 'debited', credits: 1 })
      const [begun] = await one.store.read('job-a')
      expect(begun?.data).to.deep.include({ message: '1' })
    })

    it('is not written if the stream exists or was removed, and others continue together', async () => {
      const { one, other, revision, begin, fold } = await two()
      await begin(beginning('there', revision))
      await other.store.remove('job-gone')
      one.store.canAppendTogether()
      const jobs = ['a', 'there', 'gone', 'b']
      const outcomes = await Promise.all(jobs.map((jobId) => one.run(beginning(jobId, revision))))
      expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'taken', 'taken', 'debited'])
      expect((await fold()).balance).to.equal(40)
      for (const jobId of ['a', 'b']) expect(await one.store.read(`job-${jobId}`)).to.have.length(1)
    })

    it('is not written again for a job that another process has requested alike, ended and settled', async () => {
      const { one, other, revision, fold } = await two()
      for (const { store } of [one, other]) store.canAppendTogether()
      // Another event in between: the same debit at the same revision would be a repeat.
      await other.run(grant(1))
      expect(await other.run(beginning('a', revision))).to.deep.equal({ type: 'debited', credits: 5 })
      await other.run(settle('a', 1))
      const outcomes = await Promise.all(['a', 'b'].map((jobId) => one.run(beginning(jobId, revision))))
      expect(outcomes.map(({ type }) => type)).to.deep.equal(['taken', 'debited'])
      const { balance, openDebits } = await fold()
      expect([balance, [...openDebits.keys()]]).to.deep.equal([45, ['b']])
    })
  })

  it('reports a debit that is already open', async () => {
    const { one, other, revision } = await two()
    await other.run(grant(1))
    await other.run(debit('a', 5))
    const { type } = await one.run(beginning('a', revision))
    expect(type).to.equal('already-open')
  })
})
