import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeViews } from '#packages/ports/views.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { systemClock } from '../system/clock.ts'
import { openSqliteViews } from './views.ts'

describeViews('SqliteViews', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  const origin = { id: 'events-1', lastPosition: Number.MAX_SAFE_INTEGER }
  return {
    open: () => openSqliteViews({ path: join(folder, 'views.sqlite'), clock: systemClock, origin }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})

describeRebuild('SqliteViews', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  return {
    open: () => openSqliteViews({ path: join(folder, 'views.sqlite'), clock: systemClock }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})
