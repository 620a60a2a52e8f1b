import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { prepareEventFile } from './event-schema.ts'

describe('prepareEventFile', () => {
  function idAfterPreparing(database: DatabaseSync): unknown {
    prepareEventFile(database)
    const ids = database.prepare('SELECT id FROM origin').all()
    expect(ids).to.have.length(1)
    return ids[0]?.id
  }

  it('gives each file an id of its own, which stays', () => {
    using one = new DatabaseSync(':memory:')
    using other = new DatabaseSync(':memory:')
    const id = idAfterPreparing(one)
    expect(id).to.match(/^[0-9a-f]{32}$/)
    expect(idAfterPreparing(one)).to.equal(id)
    expect(idAfterPreparing(other)).to.not.equal(id)
  })

  it('makes a file whose pages are never moved, and whose removed rows are overwritten', () => {
    using database = new DatabaseSync(':memory:')
    prepareEventFile(database)
    expect(database.prepare('PRAGMA auto_vacuum').get()).to.include({ auto_vacuum: 0 })
    expect(database.prepare('PRAGMA secure_delete').get()).to.include({ secure_delete: 1 })
  })

  it('refuses a file of a newer program', () => {
    using database = new DatabaseSync(':memory:')
    database.exec('PRAGMA user_version = 3')
    expect(() => prepareEventFile(database)).to.throw('has version 3, newer than this program')
  })
})
