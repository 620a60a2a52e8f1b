import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { storeFormat } from '#packages/events/format/store-format.ts'
import { prepareEventFile } from './event-schema.ts'

const path = '/data/events.sqlite'

describe('prepareEventFile', () => {
  function idAfterPreparing(database: DatabaseSync): unknown {
    prepareEventFile(database, path)
    const ids = database.prepare('SELECT id FROM origin').all()
    expect(ids).to.have.length(1)
    return ids[0]?.id
  }

  it('gives each file its own permanent id', () => {
    using one = new DatabaseSync(':memory:')
    using other = new DatabaseSync(':memory:')
    const id = idAfterPreparing(one)
    expect(id).to.match(/^[0-9a-f]{32}$/)
    expect(idAfterPreparing(one)).to.equal(id)
    expect(idAfterPreparing(other)).to.not.equal(id)
  })

  it('creates a file that never moves pages, and overwrites removed rows', () => {
    using database = new DatabaseSync(':memory:')
    prepareEventFile(database, path)
    expect(database.prepare('PRAGMA auto_vacuum').get()).to.include({ auto_vacuum: 0 })
    expect(database.prepare('PRAGMA secure_delete').get()).to.include({ secure_delete: 1 })
  })

  it('refuses a file of another format with a sentence that names its folder, and leaves it unchanged', () => {
    for (const format of [storeFormat - 1, storeFormat + 1]) {
      using database = new DatabaseSync(':memory:')
      database.exec(`PRAGMA user_version = ${format}`)
      expect(() => prepareEventFile(database, path)).to.throw(
        `the folder /data has format ${format}, and this program reads format ${storeFormat} alone: ` +
          'start the release that has written it, or set DATA_DIR to another folder',
      )
      expect(database.prepare('SELECT * FROM sqlite_master').all()).to.deep.equal([])
    }
  })
})
