import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { routesOf } from '#services/dashboard/routes.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { pagesOf } from './heaviest-pages.ts'
import { MOST_MB, MOST_MS, readTable } from './table.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']

describe('the table of worst requests in ops/security.md', () => {
  it('has each route of the OpenAPI document and each page of the dashboard', async () => {
    await using dashboard = await serveDashboard()
    const pages = pagesOf(routesOf(dashboard.parts, dashboard.options))
    const routes = Object.entries(openapi.paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((name) => methods.includes(name))
        .map((method) => `${method} ${path}`),
    )
    const shown = pages.map((page) => page.replace(' ', ' /dashboard').replace(/\/$/, ''))
    expect(readTable().map(({ route }) => route)).to.have.members([...routes, ...shown])
  })

  it('says why, where a request costs more than five milliseconds or two megabytes', () => {
    for (const { route, ms, mb, why } of readTable()) expect(why === '', route).to.equal(ms <= MOST_MS && mb <= MOST_MB)
  })
})
