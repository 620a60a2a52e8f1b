import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { FileWatch } from './file-watch.ts'

const MIB = 1024 * 1024

describe('FileWatch', () => {
  const at = fileOfEachTest('views.sqlite')

  it('checkpoints a long log, and not again before it has grown as long again', () => {
    const { path } = at
    using database = new DatabaseSync(path)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE documents (json)')
    const watch = new FileWatch(path, database)
    const add = (bytes: number): void => {
      database.prepare('INSERT INTO documents VALUES (zeroblob(?))').run(bytes)
      watch.carryOver()
    }
    const length = (suffix = ''): number => statSync(path + suffix).size
    const changed = (): bigint => statSync(path, { bigint: true }).mtimeNs
    for (let round = 0; round < 3; round++) {
      const before = length()
      add(5 * MIB)
      expect(length()).to.be.above(before + 4 * MIB)
      const carriedOver = changed()
      for (let n = 0; n < 3; n++) add(1000)
      expect(changed()).to.equal(carriedOver)
      expect(length('-wal')).to.be.below(MIB)
    }
    expect(watch.look()).to.equal(undefined)
  })
})
