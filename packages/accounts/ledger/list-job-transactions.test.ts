import { expect } from 'chai'
import { streams } from '#packages/ports/ids.ts'
import { debit, grant, ORG, settle, storeAfter } from './ledger.harness.ts'
import { listJobTransactions } from './list-job-transactions.ts'

describe('the lines of a ledger about one job', () => {
  it('are found anywhere in a long ledger, with the balances after them', async () => {
    const { run, store } = await storeAfter([grant(1000)])
    for (let n = 0; n < 400; n++) {
      await run(debit(`job-${n}`, 5))
      if (n > 0) await run(settle(`job-${n - 1}`, 1))
    }
    const events = await store.read(streams.credits(ORG))
    const placeOf = (type: string, jobId: string): number =>
      events.find((event) => event.type === type && 'jobId' in event.data && event.data.jobId === jobId)?.position ?? 0
    // The job's own events come directly after its debit, and directly before its settlement.
    const linesOf = (jobId: string) => {
      const [began, ended] = [placeOf('CreditsDebited', jobId), placeOf('CreditsSettled', jobId) - 1]
      return listJobTransactions(store, ORG, { jobId, began, ended })
    }
    for (const n of [0, 1, 200, 398]) {
      const lines = await linesOf(`job-${n}`)
      expect(lines.map(({ type, amount }) => [type, amount])).to.deep.equal([
        ['debit', -5],
        ['settlement', 4],
      ])
      // Before this debit, each job except the last had cost 1 credit, and the last still held 5.
      expect(lines[0]?.balance).to.equal(n === 0 ? 995 : 1000 - (n - 1) - 10)
    }
    // A ledger is truncated before a stated balance.
    const stated = events.find(({ type, revision }) => type === 'CreditsStated' && revision > 300)?.revision ?? 0
    await store.truncate(streams.credits(ORG), stated)
    const left = events.find(({ type, revision }) => type === 'CreditsDebited' && revision > stated + 5)
    const oldest = Number(left?.type === 'CreditsDebited' && left.data.jobId.slice('job-'.length))
    for (const n of [1, oldest, 398]) {
      const lines = await linesOf(`job-${n}`)
      expect(lines.map(({ type }) => type)).to.deep.equal(n === 1 ? [] : ['debit', 'settlement'])
    }
  })

  it('are the debit alone while the job goes on, and none in a ledger without it', async () => {
    const { store } = await storeAfter([grant(1000), debit('a', 5)])
    const began = (await store.read(streams.credits(ORG))).at(-1)?.position ?? 0
    const lines = await listJobTransactions(store, ORG, { jobId: 'a', began, ended: undefined })
    expect(lines.map(({ type }) => type)).to.deep.equal(['debit'])
    expect(await listJobTransactions(store, ORG, { jobId: 'b', began, ended: began })).to.deep.equal([])
    expect(await listJobTransactions(store, 'nobody', { jobId: 'a', began, ended: began })).to.deep.equal([])
  })
})
