import { expect } from 'chai'
import { taken, times } from './accepted-schemas.fixture.ts'
import { generated } from './generators.fixture.ts'
import { refused } from './refused-schemas.fixture.ts'
import { SchemaChecks, SchemaChecksBusyError } from './schema-checks.ts'
import { SchemaError } from './schema-error.ts'
import type { GivenSchema } from './schema-tree.ts'

const pathOf = (checking: Promise<void>): Promise<string> =>
  checking.then(
    () => 'taken',
    (error: unknown) => {
      if (error instanceof SchemaError) return error.path.join('.')
      throw error
    },
  )

describe('the checks of schemas', function () {
  this.timeout(60_000)

  it('accept and refuse the schemas of the corpus, in a thread', async () => {
    await using checks = new SchemaChecks()
    for (const { schema } of [...taken, ...generated]) await checks.assertUsable(schema, 'me')
    for (const { schema, path, name } of refused)
      expect(await pathOf(checks.assertUsable(schema as GivenSchema, 'me')), name).to.equal(path)
  })

  it('name the pattern that takes too long, cache no verdict, and continue in another thread', async () => {
    await using checks = new SchemaChecks({ timeoutMs: 1 })
    // Within the bounds, but still longer than this time limit.
    const alternatives = times(45, (i) => String.fromCharCode(0x100 + i * 4)).join('|')
    const costly = { patternProperties: Object.fromEntries(times(50, (i) => [`(?i)${alternatives}${i}`, true])) }
    expect(await pathOf(checks.assertUsable(costly, 'me'))).to.match(/^$|^patternProperties/)
    await using patient = new SchemaChecks()
    await patient.assertUsable(costly, 'me')
  })

  it('limit the waiting checks of one organization, and still accept those of another', async () => {
    await using checks = new SchemaChecks({ maxWaiting: 4, maxWaitingPerOrganization: 3 })
    const asked = (organization: string, n: number) => checks.assertUsable({ title: String(n) }, organization)
    const outcome = (one: PromiseSettledResult<void>): string =>
      one.status === 'fulfilled' ? 'taken' : one.reason instanceof SchemaChecksBusyError ? 'busy' : 'wrong'
    const all = [...times(5, (i) => asked('one', i)), asked('other', 6), asked('third', 7)]
    const outcomes = (await Promise.allSettled(all)).map(outcome)
    expect(outcomes).to.deep.equal(['taken', 'taken', 'taken', 'busy', 'busy', 'taken', 'busy'])
    await asked('one', 8)
  })

  it('cache verdicts: the same schema does not wait again', async () => {
    await using checks = new SchemaChecks({ maxWaiting: 1 })
    await checks.assertUsable({ title: 'known' }, 'me')
    const other = checks.assertUsable({ title: 'new' }, 'me')
    await checks.assertUsable({ title: 'known' }, 'me')
    await other
  })
})
