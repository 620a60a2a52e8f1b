import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { goldenStore } from '#packages/history/questions/history-store.fixture.ts'
import type { Projection } from '#packages/history/questions/projection.ts'
import { replay } from '#packages/history/questions/replay.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { projection as creditsByMonth } from './credits-by-month.ts'
import { projection as mostOpenJobs } from './most-open-jobs.ts'
import { projection as stepDurations } from './step-durations.ts'
import { projection as template } from './template.ts'

const goldenEvents = () => readHistories().flatMap(({ events }) => events)

const printed = async <State>(projection: Projection<State>): Promise<string> =>
  projection.print((await replay(goldenStore(), projection)).state)

/** The state as two threads would fold it, each with half of the streams. */
async function inTwoParts<State>(projection: Projection<State>): Promise<string> {
  const names = [...new Set(goldenEvents().map(({ stream }) => stream))]
  const halves = [names.filter((_, at) => at % 2 === 0), names.filter((_, at) => at % 2 === 1)]
  const parts = await Promise.all(halves.map((prefixes) => replay(goldenStore(), projection, { prefixes })))
  const [one, other] = parts.map(({ state }) => structuredClone(state)) as [State, State]
  return projection.print(projection.merge?.(one, other) ?? one)
}

describe('the projections in ops/analysts', () => {
  it('are all here', () => {
    const files = globSync('ops/analysts/*.ts', { exclude: ['**/*.test.ts'] }).filter((path) =>
      readFileSync(path, 'utf8').includes('export const projection: Projection<'),
    )
    expect(files.map((path) => path.split('/').at(-1)).sort()).to.deep.equal([
      ...['credits-by-month.ts', 'most-open-jobs.ts', 'step-durations.ts', 'template.ts'],
    ])
  })

  it('credits-by-month: reports the charged credits, as many as all settlements', async () => {
    expect((await printed(creditsByMonth)).split('\n')).to.deep.equal([
      '2026-01  free  youtube  1',
      '2026-02  starter  direct  10',
      '2026-03  free  youtube  11',
    ])
    const { state } = await replay(goldenStore(), creditsByMonth)
    const sum = [...state.charged.values()].reduce((one, other) => one + other, 0)
    const settled = goldenEvents().filter((event) => event.type === 'CreditsSettled')
    expect(sum).to.equal(settled.reduce((sum, { data }) => sum + data.charged, 0))
  })

  it('step-durations: has a result or a failure for every step with one, and keeps no ended job', async () => {
    expect((await printed(stepDurations)).split('\n')).to.deep.equal([
      'caption         7 results, mean 0.31 s, longest 0.50 s, 1 failures',
      'extract         1 results, mean 6.00 s, longest 6.00 s, 2 failures',
      'fetch           10 results, mean 0.93 s, longest 1.00 s, 1 failures',
      'speech-to-text  4 results, mean 8.25 s, longest 23.00 s, 1 failures',
    ])
    const { state } = await replay(goldenStore(), stepDurations)
    expect(state.atWork.size).to.equal(1)
    expect([...state.steps.values()].reduce((sum, { failures }) => sum + failures, 0)).to.equal(
      goldenEvents().filter(({ type }) => type === 'StepFailed').length,
    )
  })

  it('most-open-jobs: follows the order of the feed', async () => {
    expect(await printed(mostOpenJobs)).to.equal('2 jobs were open at 2026-01-15T12:00:00.000Z; 1 are open in the end')
  })

  it('template: counts every event', async () => {
    const { state, events } = await replay(goldenStore(), template)
    expect([...state.values()].reduce((one, other) => one + other, 0)).to.equal(events)
    expect(events).to.equal(goldenEvents().length)
    expect(template.print(state)).to.contain('36  StepStarted')
  })

  it('with a merge, give the same result from divided streams', async () => {
    for (const projection of [creditsByMonth, stepDurations, template] as Projection<unknown>[])
      expect(await inTwoParts(projection)).to.equal(await printed(projection))
  })
})
