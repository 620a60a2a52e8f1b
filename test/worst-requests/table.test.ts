import { expect } from 'chai'
import { documentedRoutes } from './heaviest.ts'
import { pages, shownPage } from './heaviest-pages.ts'
import { MOST_MB, MOST_MS, readTable } from './table.ts'

describe('the table of worst requests in ops/security.md', () => {
  it('has each route of the OpenAPI document and each page of the dashboard', async () => {
    const shown = (await pages()).map(shownPage)
    expect(readTable().map(({ route }) => route)).to.have.members([...documentedRoutes, ...shown])
  })

  it('gives a reason if a request costs more than five milliseconds or two megabytes', () => {
    for (const { route, ms, mb, why } of readTable()) expect(why === '', route).to.equal(ms <= MOST_MS && mb <= MOST_MB)
  })
})
