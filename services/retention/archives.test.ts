import { expect } from 'chai'
import { startRemoval } from '#packages/history/removal/removal.harness.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { madeForEach, openedForEach } from '#test/doubles/opened.ts'
import { forgetInArchives, type KnownArchive } from './archives.ts'

const MINUTE_MS = 60_000

describe('removals from archives', () => {
  const removal = openedForEach(() => startRemoval())
  const log = madeForEach(() => keptLog())
  let forgotten: string[]
  beforeEach(() => {
    forgotten = []
  })

  /** An archive that records each request to forget. `results`: the outcomes, in turn; after them it succeeds. */
  const archive = (
    directory: string,
    position: number | undefined,
    results: (Error | undefined)[] = [],
  ): KnownArchive => ({
    directory,
    position: () => position,
    async forget() {
      forgotten.push(directory)
      const error = results.shift()
      if (error) throw error
      return 1
    },
  })
  const start = (...archives: KnownArchive[]): AsyncDisposable =>
    forgetInArchives({ store: removal.ingress.store, clock: removal.clock, log: log.log, archives })
  const decide = async (reason?: 'retention'): Promise<number> => removal.decide(await removal.endedJob(), reason)

  it('happen once, within a minute, also if they were decided before the start', async () => {
    const before = await decide()
    await using _running = start(archive('behind', before - 1), archive('none', undefined))
    await removal.clock.advance(MINUTE_MS)
    expect(forgotten).to.deep.equal(['behind'])
    await decide()
    await removal.clock.advance(MINUTE_MS)
    expect(forgotten).to.deep.equal(['behind', 'behind'])
    await removal.clock.advance(MINUTE_MS)
    expect(forgotten).to.have.length(2)
  })

  it('skip an archive that an export has already brought up to date, and what retention removes', async () => {
    const position = await decide()
    await using _running = start(archive('current', position))
    await decide('retention')
    await removal.clock.advance(MINUTE_MS)
    expect(forgotten).to.deep.equal([])
  })

  it('are retried while another process writes, and raise an alarm if they fail', async () => {
    await using _running = start(
      archive('busy', 0, [Object.assign(new Error('busy'), { code: 'archive_in_use' })]),
      archive('full', 0, [new Error('the disk is full')]),
    )
    await decide()
    await removal.clock.advance(MINUTE_MS)
    expect(forgotten).to.deep.equal(['busy', 'full', 'busy'])
    expect(log.lines.map((line) => JSON.parse(line).alarm)).to.deep.equal(['archive_keeps_forgotten', undefined])
    await removal.clock.advance(10 * MINUTE_MS)
    expect(forgotten).to.deep.equal(['busy', 'full', 'busy', 'full'])
  })
})
