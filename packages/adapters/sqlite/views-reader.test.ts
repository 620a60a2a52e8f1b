import { join } from 'node:path'
import { expect } from 'chai'
import { describeViewsReader } from '#packages/ports/views-reader.contract.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { systemClock as clock } from '../system/clock.ts'
import { openSqliteViews } from './views.ts'
import { openSqliteViewsReader } from './views-reader.ts'

const makeFixture = async () => {
  const folder = await temporaryDirectory()
  const path = join(folder.path, 'views.sqlite')
  return {
    ...folder,
    path,
    open: () => openSqliteViews({ path, clock, definition }),
    openReader: () => openSqliteViewsReader(path, definition) as ViewsReader,
  }
}

describeViewsReader('SqliteViews', makeFixture)

describe('a file of views that cannot be compared', () => {
  it('is one of another version, or a missing one', async () => {
    await using fixture = await makeFixture()
    expect(openSqliteViewsReader(fixture.path, definition)).to.equal(undefined)
    await using views = await fixture.open()
    await views.begin()
    await views.makeReadable()
    const later = { ...definition, version: definition.version + 1 }
    await using reader = openSqliteViewsReader(fixture.path, later) as ViewsReader
    expect(await reader.checkpoint()).to.equal(undefined)
  })
})
