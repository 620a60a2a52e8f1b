import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryViewsMender } from '#packages/adapters/memory/views-mender.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { openSqliteViewsMender } from '#packages/adapters/sqlite/views-mender.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { FollowOptions } from '#packages/ports/event-store.ts'
import type { ViewsMender } from '#packages/ports/views-mender.ts'
import { projections } from '#packages/views/projections.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { describeRebuildShards } from './rebuild-shards.harness.ts'
import { rebuildShards } from './rebuild-shards.ts'

describeRebuildShards('MemoryViews', async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock, definition, documents }),
    openMender: () => new MemoryViewsMender({ definition, documents }),
    async stored() {
      const all = [...documents.collections].flatMap(([name, held]) =>
        [...held].map(([id, document]) => [`${name}/${id}`, document]),
      )
      return structuredClone({
        documents: Object.fromEntries(all),
        checkpoints: Object.fromEntries(documents.checkpoints),
      })
    },
    async [Symbol.asyncDispose]() {},
  }
})

describeRebuildShards('SqliteViews', async () => {
  const folder = await temporaryDirectory()
  const path = join(folder.path, 'views.sqlite')
  return {
    open: () => openSqliteViews({ path, clock, definition }),
    openMender: () => openSqliteViewsMender(path, definition) as ViewsMender,
    async stored() {
      const database = new DatabaseSync(path, { readOnly: true })
      const rows = (sql: string) => database.prepare(sql).all()
      const documents = rows("SELECT * FROM documents WHERE id <> ' mark'").map(({ collection, id, ...row }) => [
        `${collection}/${id}`,
        row,
      ])
      const checkpoints = rows('SELECT * FROM checkpoints').map(({ projection, ...row }) => [projection, row])
      database.close()
      return { documents: Object.fromEntries(documents), checkpoints: Object.fromEntries(checkpoints) }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
})

describe('a rebuild of shards', () => {
  const documents = new MemoryDocuments()
  const mender = new MemoryViewsMender({ definition, documents })
  const asked: FollowOptions[] = []
  const store = {
    async *follow(options: FollowOptions) {
      asked.push(options)
      yield { events: [], position: 1, caughtUp: true }
    },
  }
  const { signal } = new AbortController()
  const run = () => rebuildShards({ store, mender, clock }, projections, new Set([0]), {}, signal)

  it('is refused while the views cannot be read', async () => {
    expect(await run().catch((error: Error) => error.message)).to.contain('cannot be read now')
  })

  it('reads the events of these shards alone, and the removals of all', async () => {
    const views = new MemoryViews({ clock, definition, documents })
    await views.begin(projections.map(({ name }) => name))
    await views.makeReadable()
    expect(await run()).to.deep.equal({ documents: 0, mended: 0, elsewhere: 0 })
    const ofOneByte = (byte: string) => [`credits-${byte}`, `job-${byte}`, `key-${byte}`, `organization-${byte}`]
    const wanted = ['removal-', ...['00', '01', '02', '03'].flatMap(ofOneByte)]
    expect(asked.map(({ prefixes }) => [...prefixes].sort())).to.deep.equal([wanted.sort()])
  })
})
