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
    expect(idAfterPreparing(other)).not.to.equal(id)
  })

  it('gives one to a file that was made without', () => {
    using database = new DatabaseSync(':memory:')
    const id = idAfterPreparing(database)
    database.exec('DROP TABLE origin')
    expect(idAfterPreparing(database))
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(id)
  })
})
