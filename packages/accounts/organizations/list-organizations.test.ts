import { expect } from 'chai'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { listedOrganization, listOrganizations } from './list-organizations.ts'

const plans = ['free', 'starter', 'pro'] as const

describe('the list of organizations', () => {
  let views: MemoryViews
  /** Organizations with the ids o0001 and on, each registered one second after the previous one. */
  const registered = async (count: number) => {
    const writes = Array.from({ length: count }, (_, n) => {
      const fields = { name: `Name ${n}`, plan: plans[n % 3], balance: n, registeredAt: n * 1000, changedAt: n }
      return { collection: 'balances', id: `o${String(n).padStart(5, '0')}`, position: n + 1, fields }
    })
    const unfinished = { name: null, plan: 'free', balance: 50, changedAt: 1 }
    writes.push({ collection: 'balances', id: 'half', position: count + 1, fields: unfinished as never })
    await views.apply(writes, { position: count + 1, checkpoint: count + 1 })
    await views.makeReadable()
  }
  beforeEach(async () => {
    views = new MemoryViews({ clock, definition, documents: new MemoryDocuments() })
    await views.begin()
  })

  /** All pages of a search. */
  const pages = async (search: string, limit: number) => {
    const all: string[][] = []
    let cursor: string | undefined
    do {
      const page = await listOrganizations(views, { search, cursor, limit })
      all.push(page.organizations.map(({ orgId }) => orgId))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return all
  }

  it('has every registered one once, the newest first', async () => {
    await registered(7)
    expect(await pages('', 3)).to.deep.equal([
      ['o00006', 'o00005', 'o00004'],
      ['o00003', 'o00002', 'o00001'],
      ['o00000'],
    ])
    expect((await pages('', 7)).flat()).to.have.length(7)
  })

  it('finds those with a text in their name or id, in any case, on as many pages as it takes', async () => {
    await registered(12)
    expect(await pages(' NAME 1', 2)).to.deep.equal([['o00011', 'o00010'], ['o00001']])
    expect(await pages('O00007', 2)).to.deep.equal([['o00007']])
    expect(await pages('nobody', 2)).to.deep.equal([[]])
  })

  it('reads a bounded number of them for one page, and continues from there', async () => {
    await registered(5600)
    const first = await listOrganizations(views, { search: 'Name 3', cursor: undefined, limit: 1000 })
    expect(first.nextCursor).to.not.equal(null)
    const all = await pages('Name 3', 1000)
    expect(all).to.have.length(2)
    expect(new Set(all.flat()).size).to.equal(all.flat().length)
    // The matches of the search: 3, 30 to 39, 300 to 399, 3000 to 3999.
    expect(all.flat()).to.have.length(1111)
  })

  it('refuses a cursor that it never gave', async () => {
    await registered(1)
    const asked = listOrganizations(views, { search: '', cursor: 'nonsense', limit: 1 })
    expect(await failureOf(asked)).to.include({ code: 'invalid_request' })
  })

  it('shows one by its id, unless it is not registered', async () => {
    await registered(2)
    expect(await listedOrganization(views, 'o00001')).to.include({ name: 'Name 1', balance: 1 })
    expect([await listedOrganization(views, 'half'), await listedOrganization(views, 'none')]).to.deep.equal([
      undefined,
      undefined,
    ])
  })
})
