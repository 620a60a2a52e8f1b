import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeDamageNote } from '#packages/adapters/sqlite/damage-note.ts'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { run } from './history.harness.ts'

describe('npm run history -- vacuum', () => {
  const folder = directoryForEach()
  let told: string[]
  const file = () => join(folder.path, 'events.sqlite')
  beforeEach(() => {
    told = []
  })

  const vacuum = (line = 'vacuum') => run(line, { dataDir: folder.path, told })
  async function removeMany(): Promise<void> {
    await using store = await openSqliteEventStore({ path: file() })
    const streams = Array.from({ length: 50 }, (_, n) => `credits-${n}`)
    for (const stream of streams) await store.append(stream, 'no-stream', grants(20))
    for (const stream of streams.slice(1)) await store.remove(stream)
  }

  it('rewrites the files of a stopped service, once after each removal', async () => {
    await removeMany()
    const { size } = statSync(file())
    const { isGood, lines } = await vacuum()
    expect(isGood).to.equal(true)
    expect(statSync(file()).size).to.be.below(size / 2)
    expect(lines[0]).to.match(/^events\.sqlite: rewritten in .* s, \d+ bytes \(before: \d+\)$/)
    expect(lines[1]).to.equal('views.sqlite: nothing was removed since it was last written anew')
    const files = ['events.sqlite', 'views.sqlite', 'accounts.sqlite'].map((name) => ({
      file: name,
      kind: 'not-needed',
    }))
    expect(await vacuum('vacuum --json')).to.deep.equal({ isGood: true, lines: [JSON.stringify({ files })] })
    await using store = await openSqliteEventStore({ path: file() })
    expect(await store.read('credits-0')).to.have.length(20)
    expect(store.integrityProblem()).to.equal(undefined)
  })

  it('does not run while the service runs', async () => {
    await removeMany()
    using _locked = lockDataDirectory(folder.path)
    expect((await failureOf<Error>(vacuum())).message).to.contain('in use by another running service; stop it')
  })

  it('says if it has to skip a file', async () => {
    await removeMany()
    writeDamageNote(file(), 'the events are damaged')
    expect((await vacuum()).isGood).to.equal(false)
    expect(told[0]).to.equal('remains of what was removed may be in unused bytes of events.sqlite: it is damaged')
  })
})
