/** Events of a released schema are stored by its users permanently, so no released schema may change or disappear. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
type Hashes = Record<string, string>
const lock = read('contracts/lock.json') as Hashes
/** The lock of the newest release. */
const { release, schemas: released } = read('contracts/released.json') as { release: string; schemas: Hashes }

const hashOf = (file: string): string | undefined =>
  existsSync(`contracts/${file}`)
    ? createHash('sha256')
        .update(readFileSync(`contracts/${file}`))
        .digest('hex')
    : undefined

/** The released schemas that have changed or disappeared. */
const brokenIn = (before: Hashes, now: Hashes): string[] =>
  Object.keys(before).filter((file) => now[file] !== before[file])

describe('the schemas of events and tasks', () => {
  it('are those of the newest release, unchanged, and others beside them', () => {
    expect(Object.keys(released).length).to.be.above(50)
    expect(brokenIn(released, lock), 'in contracts/lock.json').to.deep.equal([])
    const files = Object.fromEntries(Object.keys(released).map((file) => [file, hashOf(file) ?? 'deleted']))
    expect(brokenIn(released, files), 'in contracts/').to.deep.equal([])
  })

  it('would not pass if a released one were deleted, or changed together with its line', () => {
    const [first = '', ...rest] = Object.keys(lock)
    expect(brokenIn(released, Object.fromEntries(rest.map((file) => [file, lock[file] ?? ''])))).to.deep.equal([first])
    expect(brokenIn(released, { ...lock, [first]: 'another' })).to.deep.equal([first])
    expect(brokenIn(released, { ...lock, 'events/VideoSmelled.v1.json': 'new' })).to.deep.equal([])
  })

  it('are frozen with each release: contracts/released.json is of the newest in CHANGELOG.md', () => {
    const [, newest] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
    const { version } = read('package.json') as { version: string }
    expect(release, 'ops/releases.md says how').to.equal(newest ?? version)
  })
})
